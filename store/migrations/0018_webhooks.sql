-- What an account's own systems are told, and where. A message is written in the transaction
-- that it tells of; its body is what every attempt sends. Deliveries are tried by real time,
-- also under a clock that is set by hand (semantics 13, 0.2.7).

-- +goose Up

CREATE TABLE webhook_endpoints (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    url         text NOT NULL,
    event_types jsonb, -- names; null: all
    enabled     boolean NOT NULL,
    secret      text NOT NULL,
    PRIMARY KEY (account_id, id)
);
SELECT scope_to_account('webhook_endpoints');

CREATE TABLE webhook_messages (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    type        text NOT NULL,
    body        text NOT NULL, -- JSON, to the byte
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(), -- real time
    PRIMARY KEY (account_id, id)
);
CREATE INDEX webhook_messages_age ON webhook_messages (account_id, recorded_at);
SELECT scope_to_account('webhook_messages');

CREATE TABLE webhook_deliveries (
    account_id      text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    endpoint_id     text COLLATE "C" NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    type            text NOT NULL, -- the message's
    status          text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts        jsonb NOT NULL DEFAULT '[]', -- oldest first
    tries           integer NOT NULL DEFAULT 0, -- of those, how many the schedule counts: sent by hand, it begins at 0 again
    next_attempt_at timestamptz DEFAULT clock_timestamp() CHECK ((next_attempt_at IS NULL) = (status <> 'pending')), -- real time
    claimed_until   timestamptz, -- real time: a server is at it, unless it died
    last_attempt_at timestamptz, -- real time
    last_status     integer, -- of HTTP; null when there was no answer
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, endpoint_id) REFERENCES webhook_endpoints ON DELETE CASCADE,
    FOREIGN KEY (account_id, message_id) REFERENCES webhook_messages ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (account_id, endpoint_id, next_attempt_at, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (account_id, created_at, seq);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (account_id, endpoint_id, created_at, seq);
CREATE INDEX webhook_deliveries_message ON webhook_deliveries (account_id, message_id);
-- how an endpoint answered of late
CREATE INDEX webhook_deliveries_answered ON webhook_deliveries (account_id, endpoint_id, last_attempt_at) INCLUDE (last_status);
SELECT scope_to_account('webhook_deliveries');

-- How far an account's events were looked through for those of no customer: up to that seq.
-- There is no row where no endpoint is told of them.
CREATE TABLE unmatched_marks (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    mark       bigint NOT NULL
);
SELECT scope_to_account('unmatched_marks');
