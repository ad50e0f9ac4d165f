-- What licenses have for themselves lowers what invoices charge.

-- +goose Up

ALTER TABLE invoice_lines ADD COLUMN license_credits numeric NOT NULL DEFAULT 0;  -- of the adjusted subtotal
ALTER TABLE licenses ADD COLUMN changed_at timestamptz;                           -- when its end was last moved; null: never
