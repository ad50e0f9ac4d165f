-- The audit log: who changed what, by which request or command. It is written in the
-- transaction of the change, and the server's role can only add to it.

-- +goose Up

CREATE TABLE audit_entries (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(), -- real time
    account_time timestamptz NOT NULL,                           -- by the account's clock
    actor_type  text NOT NULL CHECK (actor_type IN ('api_key', 'command', 'person')),
    actor_id    text NOT NULL, -- of the key or person; the name of the user of the system for a command
    actor_name  text NOT NULL,
    action      text NOT NULL, -- the operation of the contract, or the command
    request_id  text,          -- null for a command
    PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_entries_order ON audit_entries (account_id, created_at, seq);
CREATE INDEX audit_entries_actor ON audit_entries (account_id, actor_id, created_at, seq);

-- The rows that an entry is about, as they were before and are after: all columns where a
-- row is added or deleted, else those that changed.
CREATE TABLE audit_changes (
    account_id text COLLATE "C" NOT NULL,
    entry_id   text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    resource   text NOT NULL, -- the table
    row_id     text COLLATE "C",
    before     jsonb,         -- null: added
    after      jsonb,         -- null: deleted
    PRIMARY KEY (account_id, entry_id, seq),
    FOREIGN KEY (account_id, entry_id) REFERENCES audit_entries DEFERRABLE INITIALLY DEFERRED,
    CHECK (before IS NOT NULL OR after IS NOT NULL)
);
CREATE INDEX audit_changes_row ON audit_changes (account_id, row_id, entry_id);

ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON audit_entries USING (account_id = current_setting('tollkeeper.account', true));
CREATE POLICY account ON audit_changes USING (account_id = current_setting('tollkeeper.account', true));
GRANT SELECT, INSERT ON audit_entries TO tollkeeper_app;
GRANT SELECT ON audit_changes TO tollkeeper_app;

-- Each change of these tables that a request or command makes is recorded. Background work
-- has no entry, so the triggers do not run for it. Secrets are left out: their columns are
-- the arguments.
-- +goose StatementBegin
DO $$
DECLARE
    audited text;
BEGIN
    FOREACH audited IN ARRAY ARRAY['customers', 'items', 'metrics', 'dimensional_price_groups', 'license_types', 'plans',
        'plan_versions', 'plan_phases', 'subscriptions', 'plan_intervals', 'subscription_phases', 'subscription_changes',
        'invoices', 'prices', 'adjustments', 'coupons', 'price_intervals', 'quantity_transitions', 'adjustment_intervals',
        'added_lines', 'credit_notes', 'balance_transactions', 'credit_blocks', 'top_ups', 'licenses', 'plan_migrations',
        'backfills', 'alerts', 'alert_exceptions', 'accounts']
    LOOP
        EXECUTE format($f$CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
            WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change()$f$, audited);
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON api_keys FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('hash', 'last_used_at');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoints FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('secret');
