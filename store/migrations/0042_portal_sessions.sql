-- The addresses at which customers see their account for a while.

-- +goose Up

CREATE TABLE portal_sessions (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    customer_id text COLLATE "C" NOT NULL,
    expires_at  timestamptz NOT NULL,
    ended_at    timestamptz, -- before it expired
    hash        bytea NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the token
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, hash),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    CHECK (expires_at > created_at)
);
CREATE INDEX portal_sessions_open ON portal_sessions (account_id, customer_id, expires_at) WHERE ended_at IS NULL;
CREATE INDEX portal_sessions_expired ON portal_sessions (account_id, expires_at);
SELECT scope_to_account('portal_sessions');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON portal_sessions FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('hash');

-- Whether customers have a permanent address of their portal, beside sessions.
ALTER TABLE accounts ADD COLUMN portal_links boolean NOT NULL DEFAULT false;
