-- Accounts are the tenants: every other row belongs to one. Here are also the keys that
-- requests come with, and the answers that are kept to be given again.

-- +goose Up

-- The server's role owns nothing and is no superuser, so row-level security binds it. The
-- roles are made before the migrations, and may have a suffix in this database
-- (database_roles.go).
GRANT USAGE ON SCHEMA public TO tollkeeper_app;

-- scope_to_account lets the server's role use a table, and see only the rows of the
-- transaction's account. Migrations call it, so it is one of them and does not change.
-- +goose StatementBegin
CREATE FUNCTION scope_to_account(name regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format($f$CREATE POLICY account ON %s
        USING (account_id = current_setting('tollkeeper.account', true))$f$, name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO tollkeeper_app', name);
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION scope_to_account(regclass) FROM PUBLIC;

CREATE TABLE accounts (
    id                         text COLLATE "C" PRIMARY KEY,
    seq                        bigint GENERATED ALWAYS AS IDENTITY,
    created_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    name                       text NOT NULL,
    mode                       text NOT NULL CHECK (mode IN ('live', 'test')),
    timezone                   text NOT NULL DEFAULT 'UTC',
    -- null: the clock is real; otherwise it stands at this instant
    clock_now                  timestamptz CHECK (clock_now IS NULL OR mode = 'test'),
    -- events
    grace_period_seconds       integer NOT NULL DEFAULT 43200 CHECK (grace_period_seconds >= 0),
    future_bound_seconds       integer NOT NULL DEFAULT 3600 CHECK (future_bound_seconds >= 0),
    largest_ingest_bytes       bigint CHECK (largest_ingest_bytes > 0),
    backfill_length_seconds    integer NOT NULL DEFAULT 2678400 CHECK (backfill_length_seconds >= 0),
    corrections_per_customer   integer NOT NULL DEFAULT 100 CHECK (corrections_per_customer > 0),
    -- customers and their subscriptions
    children_per_customer      integer NOT NULL DEFAULT 100 CHECK (children_per_customer >= 0),
    subscriptions_per_customer integer NOT NULL DEFAULT 100 CHECK (subscriptions_per_customer > 0),
    -- invoices
    auto_issuance              boolean NOT NULL DEFAULT true,
    issue_buffer_seconds       integer NOT NULL DEFAULT 0 CHECK (issue_buffer_seconds >= 0),
    due_date_basis             text NOT NULL DEFAULT 'issue_date' CHECK (due_date_basis IN ('issue_date', 'invoice_date')),
    number_prefix_scope        text NOT NULL DEFAULT 'customer' CHECK (number_prefix_scope IN ('customer', 'account')),
    number_prefix              text NOT NULL CHECK (number_prefix ~ '^[A-Z]{6}$'),
    last_number                bigint NOT NULL DEFAULT 0,
    hide_zero_lines            boolean NOT NULL DEFAULT false,
    -- payments
    payment_gateway            text NOT NULL DEFAULT 'manual' CHECK (payment_gateway IN ('manual', 'test')),
    payment_retry_days         text NOT NULL DEFAULT '1,4,9' CHECK (payment_retry_days ~ '^([0-9]{1,3}(,[0-9]{1,3}){0,9})?$'),
    smallest_charge            numeric NOT NULL DEFAULT 0.50 CHECK (smallest_charge >= 0), -- in the currency of the invoice
    -- webhooks
    webhook_retries            text NOT NULL DEFAULT '1m,5m,30m,2h,6h,24h', -- how long after an attempt the next one is made
    webhook_log_days           integer NOT NULL DEFAULT 30 CHECK (webhook_log_days > 0),
    CHECK (payment_gateway <> 'test' OR mode = 'test')
);

CREATE TABLE api_keys (
    id           text COLLATE "C" PRIMARY KEY,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    name         text NOT NULL,
    hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    hint         text NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

GRANT SELECT, INSERT, UPDATE ON accounts, api_keys TO tollkeeper_app;

-- Answers kept under the Idempotency-Key of their request, written in the transaction of
-- what the request did. They are deleted 48 hours later, by the account's clock.
CREATE TABLE idempotency_keys (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    key         text COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32), -- SHA-256 of method, path, query and body
    answer      json NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX ON idempotency_keys (account_id, created_at); -- to find those that have expired

SELECT scope_to_account('idempotency_keys');
