-- Units of due work that failed. A unit that is parked is tried again later, and holds up only what depends
-- on it: the later units of its lane for the same subscription, the same customer, or the whole account.

-- +goose Up

CREATE TABLE parked_units (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    kind            text NOT NULL, -- the job, such as 'issue invoices'
    lane            text NOT NULL, -- units of one lane wait for each other where they concern the same
    customer_id     text COLLATE "C",
    subscription_id text COLLATE "C", -- null: all of the customer's; without a customer either: the whole account
    due_at          timestamptz NOT NULL, -- when the unit that failed first was due, by the clock of the account
    attempts        integer NOT NULL CHECK (attempts > 0), -- that failed
    error           text NOT NULL, -- of the last attempt
    first_failed_at timestamptz NOT NULL, -- real time, as the next two are
    last_failed_at  timestamptz NOT NULL,
    next_try_at     timestamptz NOT NULL, -- it holds up others until then
    PRIMARY KEY (account_id, id),
    CHECK (first_failed_at <= last_failed_at)
);
CREATE UNIQUE INDEX parked_units_once ON parked_units (account_id, kind, coalesce(customer_id, ''), coalesce(subscription_id, ''));
CREATE INDEX parked_units_held ON parked_units (account_id, lane, customer_id, subscription_id);
CREATE INDEX parked_units_tried ON parked_units (next_try_at);
SELECT scope_to_account('parked_units');

-- What a command does about a parked unit is in the audit log. The server itself has no entry there.
CREATE TRIGGER audit AFTER UPDATE OR DELETE ON parked_units FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();
