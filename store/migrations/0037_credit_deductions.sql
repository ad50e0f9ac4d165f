-- Credits pay for usage: entries of local days, which are pending while usage may still
-- come, and balances that move along with them.

-- +goose Up

ALTER TABLE credit_ledgers
    ADD balance    numeric NOT NULL DEFAULT 0, -- the ending balance of the newest entry
    ADD changes    bigint NOT NULL DEFAULT 0,  -- how often the balance changed
    ADD changed_at timestamptz,                -- when it did last
    ADD due_at     timestamptz;                -- when time changes it next; null: never by itself
CREATE INDEX credit_ledgers_due ON credit_ledgers (account_id, due_at) WHERE due_at IS NOT NULL;

-- Credits may be moved to a block that never takes effect, or begins with nothing.
ALTER TABLE credit_blocks DROP CONSTRAINT credit_blocks_check1;
ALTER TABLE credit_blocks
    ADD counted    boolean NOT NULL DEFAULT false, -- it is part of the balance
    ADD invoice_id text COLLATE "C",               -- that sold it
    ADD origin_id  text COLLATE "C",               -- the price or top-up that it came of
    ADD deleted_at timestamptz,
    ADD CONSTRAINT credit_blocks_in_order CHECK (expires_at >= effective_at);
CREATE INDEX credit_blocks_live ON credit_blocks (account_id, customer_id, currency) WHERE balance <> 0;
CREATE INDEX credit_blocks_sold ON credit_blocks (account_id, invoice_id) WHERE invoice_id IS NOT NULL;

-- What paid for a day names it and the line that charged it.
ALTER TABLE ledger_entries
    ADD day          date,                    -- a local day of the customer's
    ADD line_id      text COLLATE "C",
    ADD invoice_id   text COLLATE "C",
    ADD price_id     text COLLATE "C",
    ADD commit_at    timestamptz,             -- of a pending entry; null: when its block is paid for
    ADD new_expiry   timestamptz,             -- of the block that credits were moved to
    ADD void_reason  text;
CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (account_id, line_id, day, block_id) WHERE kind = 'decrement' AND line_id IS NOT NULL;
CREATE INDEX ledger_entries_of_line ON ledger_entries (account_id, line_id) WHERE line_id IS NOT NULL;
CREATE INDEX ledger_entries_of_block ON ledger_entries (account_id, block_id);
CREATE INDEX ledger_entries_pending ON ledger_entries (account_id, customer_id, currency) WHERE status = 'pending';

-- The balances of an entry follow from the entries before it, of which some may be
-- pending. They are no part of what is committed. An entry of a block that comes to be
-- counted moves the balance from then on.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_entries_committed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND ROW (NEW.id, NEW.sequence, NEW.kind, NEW.status, NEW.amount, NEW.block_id, NEW.day, NEW.line_id, NEW.invoice_id, NEW.price_id)
            IS NOT DISTINCT FROM ROW (OLD.id, OLD.sequence, OLD.kind, OLD.status, OLD.amount, OLD.block_id, OLD.day, OLD.line_id, OLD.invoice_id, OLD.price_id)
            AND (NEW.ending_balance - NEW.starting_balance = OLD.ending_balance - OLD.starting_balance OR OLD.ending_balance = OLD.starting_balance) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'ledger entry % is committed', OLD.id;
END
$$;
-- +goose StatementEnd

-- What there is goes on from the blocks as they took effect so far.
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_committed;
UPDATE credit_blocks b SET counted = e.ending_balance > e.starting_balance
FROM ledger_entries e WHERE e.account_id = b.account_id AND e.block_id = b.id;
UPDATE ledger_entries e SET starting_balance = w.ending - w.effect, ending_balance = w.ending
FROM (
    SELECT account_id, id, ending_balance - starting_balance AS effect,
        sum(ending_balance - starting_balance) OVER (PARTITION BY account_id, customer_id, currency ORDER BY sequence) AS ending
    FROM ledger_entries
) w WHERE w.account_id = e.account_id AND w.id = e.id;
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_committed;
UPDATE credit_ledgers l SET balance = e.ending_balance, changes = e.sequence, changed_at = e.created_at, due_at = e.created_at
FROM ledger_entries e
WHERE e.account_id = l.account_id AND e.customer_id = l.customer_id AND e.currency = l.currency AND e.sequence = l.last_sequence;
