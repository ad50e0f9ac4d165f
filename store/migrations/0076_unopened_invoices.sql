-- A price whose billing cycle is longer than the billing period is used months before the draft
-- that bills it is opened. Credits pay for its days from the first one on. The invoice has its id
-- from then on, so that a day has the same line, and the same entries, before and after the draft
-- is opened.

-- +goose Up

CREATE TABLE unopened_invoices (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL, -- of the invoice, once its draft is opened
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    plan_id         text COLLATE "C" NOT NULL,
    invoice_date    timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, subscription_id, plan_id, invoice_date),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
CREATE INDEX unopened_invoices_of_customer ON unopened_invoices (account_id, customer_id);
SELECT scope_to_account('unopened_invoices');
