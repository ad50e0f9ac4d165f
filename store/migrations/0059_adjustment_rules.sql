-- By which rule the adjustments and composite prices of an invoice were worked out: 0 for each document by itself, 1 over
-- periods. A verification compares each with what its own rule says. Invoices of before are of rule 0.

-- +goose Up

ALTER TABLE invoices ADD COLUMN adjustment_rule smallint NOT NULL DEFAULT 0;
