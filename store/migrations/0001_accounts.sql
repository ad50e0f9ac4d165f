-- Accounts are the tenants: every other row belongs to one. This migration also
-- makes the functions that every later table and every transaction relies on.

-- +goose Up

-- The server's role owns nothing and is no superuser, so row-level security
-- binds it. The roles in these files are made before, and may have a suffix in this database
-- (database_roles.go).
GRANT USAGE ON SCHEMA public TO tollkeeper_app;

CREATE TABLE accounts (
    id                         text COLLATE "C" PRIMARY KEY,
    seq                        bigint GENERATED ALWAYS AS IDENTITY,
    created_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    name                       text NOT NULL,
    mode                       text NOT NULL CHECK (mode IN ('live', 'test')),
    timezone                   text NOT NULL DEFAULT 'UTC',
    -- null: the clock is real; otherwise it stands at this instant
    clock_now                  timestamptz CHECK (clock_now IS NULL OR mode = 'test'),
    grace_period_seconds       integer NOT NULL DEFAULT 43200 CHECK (grace_period_seconds >= 0),
    future_bound_seconds       integer NOT NULL DEFAULT 3600 CHECK (future_bound_seconds >= 0),
    auto_issuance              boolean NOT NULL DEFAULT true,
    issue_buffer_seconds       integer NOT NULL DEFAULT 0 CHECK (issue_buffer_seconds >= 0),
    due_date_basis             text NOT NULL DEFAULT 'issue_date' CHECK (due_date_basis IN ('issue_date', 'invoice_date')),
    number_prefix_scope        text NOT NULL DEFAULT 'customer' CHECK (number_prefix_scope IN ('customer', 'account')),
    number_prefix              text NOT NULL CHECK (number_prefix ~ '^[A-Z]{6}$'),
    last_number                bigint NOT NULL DEFAULT 0,
    hide_zero_lines            boolean NOT NULL DEFAULT false,
    subscriptions_per_customer integer NOT NULL DEFAULT 100 CHECK (subscriptions_per_customer > 0),
    largest_ingest_bytes       bigint CHECK (largest_ingest_bytes > 0)
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

-- begin_account makes the transaction that of one account and reads that
-- account's clock, once, in whole microseconds. It is plpgsql, which keeps its
-- plans: a function in SQL would plan them again for every transaction.
-- +goose StatementBegin
CREATE FUNCTION begin_account(account text) RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('tollkeeper.account', account, true);
    RETURN (SELECT coalesce(clock_now, clock_timestamp()) FROM accounts WHERE id = account);
END
$$;
-- +goose StatementEnd

-- move_clock puts a clock that is set by hand forward to an instant. A real
-- clock, and one that is further already, stay as they are.
-- +goose StatementBegin
CREATE FUNCTION move_clock(account text, instant timestamptz) RETURNS void
LANGUAGE sql AS $$
    UPDATE accounts SET clock_now = instant WHERE id = account AND clock_now < instant;
$$;
-- +goose StatementEnd

-- scope_to_account lets the server's role use a table, and see only the rows
-- of the transaction's account.
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
