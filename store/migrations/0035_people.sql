-- People who sign in to the console. A person belongs to no account: memberships give them a
-- role in some. The server's role sees a person in two ways: as the person that its transaction
-- is of (the setting tollkeeper.person), and as a member of the transaction's account. What is
-- looked up before the person is known is found by functions (functions/people.sql).

-- +goose Up

CREATE TABLE people (
    id               text COLLATE "C" PRIMARY KEY,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    email            text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    email_key        text COLLATE "C" NOT NULL UNIQUE, -- the address in the form in which two are compared
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    second_factor_at timestamptz, -- since when it is on; null: off
    last_seen_at     timestamptz, -- to the minute
    last_account_id  text COLLATE "C" REFERENCES accounts -- the one chosen last
);

-- What proves who a person is. It is apart from people so that who sees a person of their account
-- does not see it.
CREATE TABLE credentials (
    person_id      text COLLATE "C" PRIMARY KEY REFERENCES people ON DELETE CASCADE,
    password       text,   -- argon2id, encoded with its parameters; null: none was chosen yet
    totp_secret    text,   -- base 32; null: none
    totp_confirmed boolean NOT NULL DEFAULT false,     -- a code was given, so the secret counts
    totp_step      bigint  NOT NULL DEFAULT 0,         -- the time step of the last code that was taken
    CHECK (totp_secret IS NOT NULL OR NOT totp_confirmed)
);

CREATE TABLE recovery_codes (
    person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
    hash      bytea NOT NULL CHECK (length(hash) = 32), -- SHA-256
    PRIMARY KEY (person_id, hash)
);

CREATE TABLE password_resets (
    hash       bytea PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of what the link has
    person_id  text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX ON password_resets (person_id);

CREATE TABLE memberships (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    person_id  text COLLATE "C" NOT NULL REFERENCES people,
    role       text NOT NULL CHECK (role IN ('owner', 'finance', 'engineer', 'support', 'reader')),
    PRIMARY KEY (account_id, id),
    UNIQUE (person_id, account_id)
);

CREATE TABLE invitations (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    accepted_at  timestamptz,
    withdrawn_at timestamptz,
    email        text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    email_key    text COLLATE "C" NOT NULL,
    role         text NOT NULL CHECK (role IN ('owner', 'finance', 'engineer', 'support', 'reader')),
    hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of what the link has
    PRIMARY KEY (account_id, id)
);

CREATE TABLE sessions (
    id           text COLLATE "C" PRIMARY KEY,
    hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of the token
    person_id    text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
    chosen_account_id text COLLATE "C" REFERENCES accounts, -- whose pages are shown
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz NOT NULL DEFAULT clock_timestamp(), -- to the minute
    ends_at      timestamptz NOT NULL,
    idle_seconds integer NOT NULL CHECK (idle_seconds > 0), -- it ends so long after it was last used
    waiting      boolean NOT NULL, -- for the second factor: it opens nothing yet
    kept         boolean NOT NULL, -- on a device of the person's own
    address      text NOT NULL,
    browser      text NOT NULL
);
CREATE INDEX ON sessions (person_id, created_at);
CREATE INDEX ON sessions (ends_at);

-- The links by which the first person sets the server up.
CREATE TABLE setup_links (
    hash       bytea PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of what the link has
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
);

-- Failed attempts to sign in, by what they have in common: the address, the person, or both.
CREATE TABLE sign_in_failures (
    key          text COLLATE "C" PRIMARY KEY CHECK (length(key) = 64), -- SHA-256
    failures     integer NOT NULL,
    last_at      timestamptz NOT NULL,
    paused_until timestamptz -- no attempt is made before
);
CREATE INDEX ON sign_in_failures (last_at);

SELECT scope_to_account('memberships');
SELECT scope_to_account('invitations');
CREATE POLICY own ON memberships FOR SELECT USING (person_id = current_setting('tollkeeper.person', true));

-- +goose StatementBegin
DO $$
DECLARE
    personal text;
BEGIN
    FOREACH personal IN ARRAY ARRAY['people', 'credentials', 'recovery_codes', 'password_resets', 'sessions', 'setup_links', 'sign_in_failures'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', personal);
    END LOOP;
    FOREACH personal IN ARRAY ARRAY['credentials', 'recovery_codes', 'password_resets', 'sessions'] LOOP
        EXECUTE format($f$CREATE POLICY own ON %I USING (person_id = current_setting('tollkeeper.person', true))$f$, personal);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO tollkeeper_app', personal);
    END LOOP;
    FOREACH personal IN ARRAY ARRAY['memberships', 'invitations'] LOOP
        EXECUTE format($f$CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
            WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('hash')$f$, personal);
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE POLICY own ON people USING (id = current_setting('tollkeeper.person', true));
CREATE POLICY team ON people FOR SELECT USING (EXISTS (SELECT FROM memberships AS m
    WHERE m.person_id = people.id AND m.account_id = current_setting('tollkeeper.account', true)));
GRANT SELECT, INSERT, UPDATE, DELETE ON people TO tollkeeper_app;
