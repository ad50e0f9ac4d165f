-- Items change and are archived. What an issued invoice calls them stays: a line keeps
-- the name that its item had.

-- +goose Up

ALTER TABLE items
    ADD COLUMN archived_at          timestamptz,                     -- null: it can be sold
    ADD COLUMN external_connections jsonb NOT NULL DEFAULT '[]';     -- its names in other systems

ALTER TABLE invoice_lines ADD COLUMN item_name text;                 -- of the price's item, when the line was issued

ALTER TABLE invoice_lines DISABLE TRIGGER keep_issued;
UPDATE invoice_lines l SET item_name = i.name
    FROM prices p JOIN items i ON i.account_id = p.account_id AND i.id = p.item_id
    WHERE p.account_id = l.account_id AND p.id = l.price_id;
ALTER TABLE invoice_lines ENABLE TRIGGER keep_issued;
ALTER TABLE invoice_lines ALTER COLUMN item_name SET NOT NULL;
