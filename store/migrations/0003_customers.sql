-- Customers: the buyers, under our id and an alias of the client's.

-- +goose Up

CREATE TABLE customers (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    external_customer_id text COLLATE "C",
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
    deleted_at           timestamptz,
    metadata             jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
CREATE INDEX customers_newest ON customers (account_id, created_at, seq);
CREATE UNIQUE INDEX customers_alias ON customers (account_id, external_customer_id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX customers_invoice_prefix ON customers (account_id, invoice_prefix);

-- A time zone is for good, and so are a currency and an alias once they are set.
-- +goose StatementBegin
CREATE FUNCTION customers_fixed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.timezone <> OLD.timezone OR NEW.invoice_prefix <> OLD.invoice_prefix
        OR NEW.currency IS DISTINCT FROM OLD.currency AND OLD.currency IS NOT NULL
        OR NEW.external_customer_id IS DISTINCT FROM OLD.external_customer_id AND OLD.external_customer_id IS NOT NULL
    THEN
        RAISE EXCEPTION 'customer %: what is fixed was changed', OLD.id;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER customers_fixed BEFORE UPDATE ON customers
    FOR EACH ROW EXECUTE FUNCTION customers_fixed();

SELECT scope_to_account('customers');
