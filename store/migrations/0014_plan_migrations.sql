-- Migrations of plans: the subscriptions of a plan are put on another version of it, each at
-- its own time and in a transaction of its own.

-- +goose Up

CREATE TABLE plan_migrations (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL,
    canceled_at  timestamptz,
    plan_id      text COLLATE "C" NOT NULL,
    from_version integer,                   -- null: any other
    to_version   integer NOT NULL,
    effective    text,                      -- a date, an instant, end_of_term or end_of_invoice; null: at once
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, plan_id, to_version) REFERENCES plan_versions (account_id, plan_id, version)
);
CREATE INDEX plan_migrations_of_plan ON plan_migrations (account_id, plan_id, created_at, seq);

CREATE TABLE plan_migration_moves (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    migration_id    text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    due_at          timestamptz,            -- null: done, or canceled
    placed          boolean NOT NULL,       -- due_at is when it is to happen, not when that is to be found out
    done_at         timestamptz,
    failure         text,                   -- why it did not happen; null: it did, or there was nothing to do
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, migration_id, subscription_id),
    FOREIGN KEY (account_id, migration_id) REFERENCES plan_migrations (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    CHECK (done_at IS NULL OR due_at IS NULL),
    CHECK (failure IS NULL OR done_at IS NOT NULL)
);
CREATE INDEX plan_migration_moves_due ON plan_migration_moves (account_id, due_at, seq) WHERE due_at IS NOT NULL;

SELECT scope_to_account('plan_migrations');
SELECT scope_to_account('plan_migration_moves');
