-- The last requests that came with a key, for people who look for why a program was refused. There are
-- no bodies and no parameters of queries in it. It is written beside requests, in batches, and some of
-- it may be lost; what counts is in the audit log.

-- +goose Up

CREATE TABLE api_requests (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,                                     -- real time of the answer
    key_id      text COLLATE "C" NOT NULL,
    operation   text NOT NULL CHECK (length(operation) <= 100),           -- of the contract; '' for an unknown path
    method      text NOT NULL CHECK (length(method) <= 20),
    path        text NOT NULL CHECK (length(path) <= 500),                -- as sent, without its query
    status      integer NOT NULL,
    took_micros bigint NOT NULL CHECK (took_micros >= 0),
    request_id  text NOT NULL CHECK (length(request_id) <= 64),
    problem     text NOT NULL DEFAULT '' CHECK (length(problem) <= 2000), -- what a failed answer said
    PRIMARY KEY (account_id, id)
);
CREATE INDEX api_requests_newest ON api_requests (account_id, created_at, seq);
CREATE INDEX api_requests_of_key ON api_requests (account_id, key_id, created_at, seq);
CREATE INDEX api_requests_failed ON api_requests (account_id, created_at, seq) WHERE status >= 400;
SELECT scope_to_account('api_requests');
