-- What events were before they were changed in place. An event is amended any number
-- of times and deprecated once; how many corrections a customer's events take is
-- limited.

-- +goose Up

ALTER TABLE accounts ADD corrections_per_customer integer NOT NULL DEFAULT 100 CHECK (corrections_per_customer > 0);

CREATE TABLE event_corrections (
    account_id      text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('amended', 'deprecated')),
    idempotency_key text COLLATE "C" NOT NULL,
    event_seq       bigint NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    -- as they were
    event_name      text NOT NULL,
    properties      jsonb NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers
);
CREATE INDEX event_corrections_customer ON event_corrections (account_id, customer_id, kind, created_at);
CREATE UNIQUE INDEX event_corrections_deprecated ON event_corrections (account_id, idempotency_key, event_seq) WHERE kind = 'deprecated';
SELECT scope_to_account('event_corrections');
