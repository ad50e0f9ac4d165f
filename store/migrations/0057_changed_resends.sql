-- Events that came again under a known key with another body, as they were sent last. The first body stays, so
-- it would stay hidden that the two differ. Rows are cleared away after their time, a few with each new one.

-- +goose Up

CREATE TABLE changed_resends (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    idempotency_key text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY, -- a new one each time
    sent_at         timestamptz NOT NULL,                -- the last time, by the account's clock
    times           bigint NOT NULL CHECK (times > 0),   -- that it came with another body
    event_name      text NOT NULL,
    subject         text COLLATE "C" NOT NULL,
    "timestamp"     timestamptz NOT NULL,
    properties      jsonb NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX changed_resends_newest ON changed_resends (account_id, seq);
CREATE INDEX changed_resends_sent ON changed_resends (account_id, sent_at);
SELECT scope_to_account('changed_resends');
