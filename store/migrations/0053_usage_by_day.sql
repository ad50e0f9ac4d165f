-- Usage by day on documents, where the account wants it.

-- +goose Up

ALTER TABLE accounts ADD COLUMN usage_by_day boolean NOT NULL DEFAULT false;

-- The days of a line's usage and what each added to its quantity, as of the issue. Empty: the line is
-- listed without them.
ALTER TABLE invoice_lines ADD COLUMN days jsonb NOT NULL DEFAULT '[]';
