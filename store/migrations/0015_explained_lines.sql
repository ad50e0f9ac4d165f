-- What a line item needs beside its amounts to show how it was rated.

-- +goose Up

ALTER TABLE invoice_lines
    ADD COLUMN fraction jsonb   NOT NULL DEFAULT '{}',  -- that the service is of its billing cycle, in days
    ADD COLUMN prorated boolean NOT NULL DEFAULT false; -- the exact subtotal is that part of what the rates come to
