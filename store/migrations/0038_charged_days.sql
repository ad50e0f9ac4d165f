-- What lines charge for each local day, once that is closed: usage that comes later is
-- charged for another day.

-- +goose Up

CREATE TABLE charged_days (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    line_id    text COLLATE "C" NOT NULL,
    day        date NOT NULL,
    created_at timestamptz NOT NULL,
    amount     numeric NOT NULL CHECK (amount >= 0), -- what credits were asked to pay, in the currency of the price
    PRIMARY KEY (account_id, line_id, day)
);
SELECT scope_to_account('charged_days');

-- The entries of an invoice are looked for when it is voided or gone.
CREATE INDEX ledger_entries_of_invoice ON ledger_entries (account_id, invoice_id) WHERE invoice_id IS NOT NULL;
