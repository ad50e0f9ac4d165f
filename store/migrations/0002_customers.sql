-- Customers: the buyers, under our id and an alias of the client's.

-- +goose Up

CREATE TABLE customers (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    deleted_at           timestamptz,
    external_customer_id text COLLATE "C",
    -- One level only: a parent is no child, and a child no parent. The code checks that
    -- where it is set, one customer of the account after the other.
    parent_id            text COLLATE "C",
    name                 text NOT NULL,
    email                text NOT NULL,
    additional_emails    jsonb NOT NULL DEFAULT '[]',
    timezone             text NOT NULL,          -- IANA; never changes
    currency             text,                   -- once set it never changes
    billing_address      jsonb,
    shipping_address     jsonb,
    tax_id               jsonb,
    payment_provider     text,
    payment_provider_id  text,
    auto_collection      boolean NOT NULL,
    auto_issuance        boolean,                -- null: as the account
    email_delivery       boolean NOT NULL,
    balance              numeric NOT NULL DEFAULT 0, -- in currency; below 0 is owed by the customer
    invoice_prefix       text COLLATE "C" NOT NULL CHECK (invoice_prefix ~ '^[A-Z]{6}$'),
    last_invoice_number  bigint NOT NULL DEFAULT 0 CHECK (last_invoice_number >= 0),
    -- what the client says of the customer to its other systems, kept as it was sent
    accounting_sync      jsonb,
    reporting            jsonb,
    payments             jsonb,
    tax                  jsonb,
    metadata             jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, parent_id) REFERENCES customers (account_id, id),
    CHECK (parent_id <> id)
);
CREATE INDEX customers_newest ON customers (account_id, created_at, seq);
CREATE INDEX customers_of_parent ON customers (account_id, parent_id, seq) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX customers_alias ON customers (account_id, external_customer_id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX customers_invoice_prefix ON customers (account_id, invoice_prefix);

CREATE TRIGGER customers_fixed BEFORE UPDATE ON customers
    FOR EACH ROW EXECUTE FUNCTION customers_fixed();

SELECT scope_to_account('customers');
