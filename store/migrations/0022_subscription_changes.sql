-- What changes of a running subscription need: intervals that end where they
-- begin, quantities of fees that change, and which line charged what.

-- +goose Up

-- Canceled before it began, a subscription ends on the day it would have begun.
ALTER TABLE subscriptions
    DROP CONSTRAINT subscriptions_check,
    ADD CHECK (end_at >= start_at),
    -- the next instant at which fees that were charged in advance are to be
    -- credited; null when no change lies ahead
    ADD COLUMN next_change_at timestamptz;
ALTER TABLE price_intervals DROP CONSTRAINT price_intervals_check, ADD CHECK (end_at >= start_at);
ALTER TABLE adjustment_intervals DROP CONSTRAINT adjustment_intervals_check, ADD CHECK (end_at >= start_at);
ALTER TABLE subscription_phases DROP CONSTRAINT subscription_phases_check, ADD CHECK (end_at >= start_at);
CREATE INDEX subscriptions_changing ON subscriptions (account_id, next_change_at, seq)
    WHERE next_change_at IS NOT NULL;

-- From an instant on, a fixed fee is for another quantity than its price says.
CREATE TABLE quantity_transitions (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL,
    interval_id  text COLLATE "C" NOT NULL,
    effective_at timestamptz NOT NULL,
    quantity     numeric NOT NULL CHECK (quantity >= 0),
    resumes      boolean NOT NULL,          -- in advance it was charged up to here, since it was to end
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, interval_id, effective_at),
    FOREIGN KEY (account_id, interval_id) REFERENCES price_intervals (account_id, id) ON DELETE CASCADE
);

-- Beside the invoice of a date there may be one of a change, for what that one
-- does not have. One that a change made wrong is void, and another in its place.
ALTER TABLE invoices
    ADD COLUMN of_change boolean NOT NULL DEFAULT false,
    ADD COLUMN replaced  boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT replaced OR status = 'void');
DROP INDEX invoices_once;
CREATE UNIQUE INDEX invoices_once ON invoices (account_id, subscription_id, plan_id, invoice_date)
    WHERE source = 'subscription' AND NOT of_change AND NOT replaced;
CREATE UNIQUE INDEX invoices_of_change_once ON invoices (account_id, subscription_id, plan_id, invoice_date)
    WHERE source = 'subscription' AND of_change AND status = 'draft';

-- The price interval that a line charges; null where none does.
ALTER TABLE invoice_lines ADD COLUMN interval_id text COLLATE "C";
ALTER TABLE invoice_lines DISABLE TRIGGER keep_issued;
UPDATE invoice_lines l SET interval_id = p.id
FROM invoices i, price_intervals p
WHERE i.account_id = l.account_id AND i.id = l.invoice_id
  AND p.account_id = i.account_id AND p.subscription_id = i.subscription_id AND p.price_id = l.price_id
  AND p.start_at <= l.start_at AND (p.end_at IS NULL OR p.end_at >= l.end_at);
ALTER TABLE invoice_lines ENABLE TRIGGER keep_issued;

SELECT scope_to_account('quantity_transitions');
