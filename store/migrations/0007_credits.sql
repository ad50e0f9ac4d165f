-- Prepaid credits: one ledger for each customer and unit, the blocks that hold
-- what is left, and the entries that tell how it came about.

-- +goose Up

-- A ledger is locked for every entry, so entries are numbered without holes.
CREATE TABLE credit_ledgers (
    account_id    text COLLATE "C" NOT NULL REFERENCES accounts,
    customer_id   text COLLATE "C" NOT NULL,
    currency      text COLLATE "C" NOT NULL,
    last_sequence bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0), -- 0: no entry yet
    PRIMARY KEY (account_id, customer_id, currency),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id)
);

CREATE TABLE credit_blocks (
    account_id          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                  text COLLATE "C" NOT NULL,
    seq                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at          timestamptz NOT NULL,
    customer_id         text COLLATE "C" NOT NULL,
    currency            text COLLATE "C" NOT NULL,
    source              text NOT NULL CHECK (source IN ('allocation', 'top_up', 'commitment', 'manual')),
    status              text NOT NULL CHECK (status IN ('active', 'pending_payment')),
    initial_balance     numeric NOT NULL CHECK (initial_balance >= 0),
    balance             numeric NOT NULL,      -- what is left
    effective_at        timestamptz NOT NULL,
    expires_at          timestamptz,           -- exclusive; null: never
    per_unit_cost_basis text CHECK (per_unit_cost_basis::numeric >= 0), -- as sent
    filters             jsonb NOT NULL DEFAULT '[]',
    metadata            jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id, currency) REFERENCES credit_ledgers (account_id, customer_id, currency),
    CHECK (balance <= initial_balance),
    CHECK (expires_at > effective_at)
);
CREATE INDEX credit_blocks_of_customer ON credit_blocks (account_id, customer_id, currency, created_at, seq);

CREATE TABLE ledger_entries (
    account_id       text COLLATE "C" NOT NULL REFERENCES accounts,
    id               text COLLATE "C" NOT NULL,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL,
    customer_id      text COLLATE "C" NOT NULL,
    currency         text COLLATE "C" NOT NULL,
    sequence         bigint NOT NULL CHECK (sequence > 0),
    kind             text NOT NULL CHECK (kind IN ('increment', 'decrement', 'expiration_change', 'credit_block_expiry',
                                                   'void', 'void_initiated', 'amendment')),
    status           text NOT NULL CHECK (status IN ('committed', 'pending')),
    amount           numeric NOT NULL CHECK (amount >= 0), -- the kind gives the direction
    starting_balance numeric NOT NULL,
    ending_balance   numeric NOT NULL,
    block_id         text COLLATE "C" NOT NULL,
    description      text,
    metadata         jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, customer_id, currency, sequence),
    FOREIGN KEY (account_id, customer_id, currency) REFERENCES credit_ledgers (account_id, customer_id, currency),
    FOREIGN KEY (account_id, block_id) REFERENCES credit_blocks (account_id, id),
    -- An entry moves the balance by its amount, or by nothing where its block
    -- does not count at the time: not in effect, expired, or not paid.
    CHECK (ending_balance - starting_balance IN (0, CASE
        WHEN kind IN ('increment', 'amendment') THEN amount
        WHEN kind IN ('decrement', 'credit_block_expiry', 'void') THEN -amount
        ELSE 0
    END))
);

-- What is committed is history.
-- +goose StatementBegin
CREATE FUNCTION ledger_entries_committed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger entry % is committed', OLD.id;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ledger_entries_committed BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW WHEN (OLD.status = 'committed') EXECUTE FUNCTION ledger_entries_committed();

SELECT scope_to_account('credit_ledgers');
SELECT scope_to_account('credit_blocks');
SELECT scope_to_account('ledger_entries');
