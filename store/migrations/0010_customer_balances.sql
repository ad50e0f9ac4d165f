-- What moved a customer's balance: the amount they owe or are owed beside
-- their invoices. The balance itself stands on the customer.

-- +goose Up

CREATE TABLE balance_transactions (
    account_id       text COLLATE "C" NOT NULL REFERENCES accounts,
    id               text COLLATE "C" NOT NULL,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL,
    customer_id      text COLLATE "C" NOT NULL,
    invoice_id       text COLLATE "C",
    action           text NOT NULL,
    starting_balance numeric NOT NULL,
    ending_balance   numeric NOT NULL,
    description      text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    CHECK (ending_balance <> starting_balance)
);
CREATE INDEX balance_transactions_newest ON balance_transactions (account_id, customer_id, created_at, seq);
CREATE INDEX balance_transactions_of_invoice ON balance_transactions (account_id, invoice_id);

SELECT scope_to_account('balance_transactions');
