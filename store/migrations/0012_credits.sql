-- Prepaid credits: one ledger for each customer and unit, the blocks that hold what is left,
-- and the entries that tell how it came about. They pay for usage in entries of local days,
-- which are pending while usage may still come.
--
-- What changes with each entry is in no index, nor in a condition of one. PostgreSQL then
-- changes a row in place, and a busy customer leaves no old entries in every index.

-- +goose Up

-- A ledger is locked for every entry, so entries are numbered without holes.
CREATE TABLE credit_ledgers (
    account_id    text COLLATE "C" NOT NULL REFERENCES accounts,
    customer_id   text COLLATE "C" NOT NULL,
    currency      text COLLATE "C" NOT NULL,
    last_sequence bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0), -- 0: no entry yet
    balance       numeric NOT NULL DEFAULT 0, -- the ending balance of the newest entry
    changes       bigint NOT NULL DEFAULT 0,  -- how often the balance changed
    changed_at    timestamptz,                -- when it did last
    due_at        timestamptz,                -- when time changes it next; null: never by itself
    PRIMARY KEY (account_id, customer_id, currency),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id)
) WITH (fillfactor = 70); -- room on the page for the next version of a row
CREATE INDEX credit_ledgers_due ON credit_ledgers (account_id, due_at) WHERE due_at IS NOT NULL;

-- The ledger refers to the account. A reference from here too, and from the entries, would
-- make all who write in the account at once lock its row.
CREATE TABLE credit_blocks (
    account_id          text COLLATE "C" NOT NULL,
    id                  text COLLATE "C" NOT NULL,
    seq                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at          timestamptz NOT NULL,
    deleted_at          timestamptz,
    customer_id         text COLLATE "C" NOT NULL,
    currency            text COLLATE "C" NOT NULL,
    source              text NOT NULL CHECK (source IN ('allocation', 'top_up', 'commitment', 'manual')),
    origin_id           text COLLATE "C",      -- the price or top-up that it came of
    invoice_id          text COLLATE "C",      -- that sold it
    status              text NOT NULL CHECK (status IN ('active', 'pending_payment')),
    initial_balance     numeric NOT NULL CHECK (initial_balance >= 0),
    -- What is left. It may exceed the initial balance: what was given back by hand of a
    -- day's usage may turn out not to have been used.
    balance             numeric NOT NULL,
    empty               boolean GENERATED ALWAYS AS (balance = 0) STORED, -- so that no index has the balance
    counted             boolean NOT NULL DEFAULT false, -- it is part of the ledger's balance
    effective_at        timestamptz NOT NULL,
    expires_at          timestamptz,           -- exclusive; null: never
    per_unit_cost_basis text CHECK (per_unit_cost_basis::numeric >= 0), -- as sent
    filters             jsonb NOT NULL DEFAULT '[]',
    metadata            jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id, currency) REFERENCES credit_ledgers (account_id, customer_id, currency),
    -- Credits may be moved to a block that never takes effect, so both may be the same.
    CONSTRAINT credit_blocks_in_order CHECK (expires_at >= effective_at)
) WITH (fillfactor = 70);
CREATE INDEX credit_blocks_of_customer ON credit_blocks (account_id, customer_id, currency, created_at, seq);
CREATE INDEX credit_blocks_live ON credit_blocks (account_id, customer_id, currency) WHERE NOT empty;
CREATE INDEX credit_blocks_sold ON credit_blocks (account_id, invoice_id) WHERE invoice_id IS NOT NULL;
-- What a top-up waits for is asked each time that few credits are left.
CREATE INDEX credit_blocks_unpaid ON credit_blocks (account_id, origin_id) WHERE status = 'pending_payment';

CREATE TABLE ledger_entries (
    account_id       text COLLATE "C" NOT NULL,
    id               text COLLATE "C" NOT NULL,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL,
    customer_id      text COLLATE "C" NOT NULL,
    currency         text COLLATE "C" NOT NULL,
    sequence         bigint NOT NULL CHECK (sequence > 0),
    kind             text NOT NULL CHECK (kind IN ('increment', 'decrement', 'expiration_change', 'credit_block_expiry',
                                                   'void', 'void_initiated', 'amendment')),
    status           text NOT NULL CHECK (status IN ('committed', 'pending')),
    commit_at        timestamptz,             -- of a pending entry; null: when its block is paid for
    amount           numeric NOT NULL CHECK (amount >= 0), -- the kind gives the direction
    draws            boolean GENERATED ALWAYS AS (amount > 0) STORED, -- so that no index has the amount
    starting_balance numeric NOT NULL,
    ending_balance   numeric NOT NULL,
    block_id         text COLLATE "C" NOT NULL,
    -- what it paid for
    day              date,                    -- a local day of the customer's
    line_id          text COLLATE "C",        -- that charged it
    invoice_id       text COLLATE "C",
    price_id         text COLLATE "C",
    new_expiry       timestamptz,             -- of the block that credits were moved to
    void_reason      text,
    description      text,
    metadata         jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, customer_id, currency, sequence),
    FOREIGN KEY (account_id, customer_id, currency) REFERENCES credit_ledgers (account_id, customer_id, currency),
    FOREIGN KEY (account_id, block_id) REFERENCES credit_blocks (account_id, id),
    -- An entry moves the balance by its amount, or by nothing where its block does not
    -- count at the time: not in effect, expired, or not paid.
    CHECK (ending_balance - starting_balance IN (0, CASE
        WHEN kind IN ('increment', 'amendment') THEN amount
        WHEN kind IN ('decrement', 'credit_block_expiry', 'void') THEN -amount
        ELSE 0
    END))
);
-- A block pays for a day of a line once. An entry that came to draw nothing before it was
-- committed paid for nothing, so the block may still pay when another one is deleted.
CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (account_id, line_id, day, block_id)
    WHERE kind = 'decrement' AND line_id IS NOT NULL AND draws;
CREATE INDEX ledger_entries_of_line ON ledger_entries (account_id, line_id) WHERE line_id IS NOT NULL;
CREATE INDEX ledger_entries_of_block ON ledger_entries (account_id, block_id);
-- Those of an invoice are looked for when it is voided or deleted.
CREATE INDEX ledger_entries_of_invoice ON ledger_entries (account_id, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX ledger_entries_pending ON ledger_entries (account_id, customer_id, currency) WHERE status = 'pending';

CREATE TRIGGER ledger_entries_committed BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW WHEN (OLD.status = 'committed') EXECUTE FUNCTION ledger_entries_committed();

-- What lines charge for each local day, once that is closed: usage that comes later is
-- charged for another day.
CREATE TABLE closed_days (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    line_id    text COLLATE "C" NOT NULL,
    day        date NOT NULL,
    created_at timestamptz NOT NULL,
    amount     numeric NOT NULL CHECK (amount >= 0), -- what credits were asked to pay, in the currency of the price
    PRIMARY KEY (account_id, line_id, day)
);

-- Which periods of allocation prices were granted, each once.
CREATE TABLE allocation_grants (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    interval_id     text COLLATE "C" NOT NULL,  -- the price interval, which a change may have taken back since
    start_at        timestamptz NOT NULL,       -- of the period
    block_id        text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT allocation_grants_once UNIQUE (account_id, interval_id, start_at),
    UNIQUE (account_id, block_id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, block_id) REFERENCES credit_blocks (account_id, id)
);
CREATE INDEX allocation_grants_of_subscription ON allocation_grants (account_id, subscription_id, start_at);

-- What was taken back of grants, as a price that grants less took the place of another in the
-- middle of a period.
CREATE TABLE allocation_reductions (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    grant_id   text COLLATE "C" NOT NULL,
    reduced_at timestamptz NOT NULL,                 -- when the price began that grants less
    amount     numeric NOT NULL CHECK (amount >= 0), -- in credits: the difference, or what was unspent of it
    PRIMARY KEY (account_id, id),
    CONSTRAINT allocation_reductions_once UNIQUE (account_id, grant_id, reduced_at),
    FOREIGN KEY (account_id, grant_id) REFERENCES allocation_grants (account_id, id) ON DELETE CASCADE
);

-- Top-ups: credits that a customer buys by itself when few are left.
CREATE TABLE top_ups (
    account_id          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                  text COLLATE "C" NOT NULL,
    seq                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at          timestamptz NOT NULL,
    customer_id         text COLLATE "C" NOT NULL,
    currency            text COLLATE "C" NOT NULL,
    threshold           text NOT NULL CHECK (threshold::numeric >= 0), -- as sent, like the next two
    amount              text NOT NULL CHECK (amount::numeric > 0),
    per_unit_cost_basis text NOT NULL CHECK (per_unit_cost_basis::numeric >= 0),
    expires_after       integer CHECK (expires_after > 0),             -- null: never
    expires_after_unit  text CHECK (expires_after_unit IN ('day', 'month')),
    active_from         timestamptz NOT NULL,
    deactivated_at      timestamptz,
    auto_collection     boolean NOT NULL,
    net_terms_days      integer NOT NULL CHECK (net_terms_days >= 0),
    memo                text,
    requires_payment    boolean NOT NULL,
    seen_changes        bigint,               -- of the ledger when it was looked at last; null: never
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    CHECK ((expires_after IS NULL) = (expires_after_unit IS NULL))
);
-- One for each unit; another takes its place.
CREATE UNIQUE INDEX top_ups_active ON top_ups (account_id, customer_id, currency) WHERE deactivated_at IS NULL;
CREATE INDEX top_ups_newest ON top_ups (account_id, created_at, seq) WHERE deactivated_at IS NULL;

SELECT scope_to_account('credit_ledgers');
SELECT scope_to_account('credit_blocks');
SELECT scope_to_account('ledger_entries');
SELECT scope_to_account('closed_days');
SELECT scope_to_account('allocation_grants');
SELECT scope_to_account('allocation_reductions');
SELECT scope_to_account('top_ups');
