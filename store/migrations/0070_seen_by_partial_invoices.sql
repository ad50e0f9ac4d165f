-- A partial invoice is for what was used by an instant at which usage goes on coming in. It
-- says which events were there, so that it can be worked out anew from the same ones. Those
-- that were issued before do not know.

-- +goose Up
ALTER TABLE invoices ADD seen pg_snapshot CHECK (seen IS NULL OR source = 'partial');
