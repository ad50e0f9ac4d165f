-- What a client says of a customer to systems that stand beside this one: accounting,
-- reporting, payments and tax. It is kept as it was said.

-- +goose Up

ALTER TABLE customers
    ADD COLUMN accounting_sync jsonb,
    ADD COLUMN reporting       jsonb,
    ADD COLUMN payments        jsonb,
    ADD COLUMN tax             jsonb;
