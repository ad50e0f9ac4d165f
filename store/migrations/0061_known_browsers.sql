-- What browsers are told of the people who signed in there before is signed with this secret, of more than 128 random
-- bits. Such a browser is not held up by what others try (semantics 14.8.4). It opens nothing.

-- +goose Up

CREATE TABLE browser_secret (
    alone  boolean PRIMARY KEY DEFAULT true CHECK (alone), -- there is one row
    secret bytea NOT NULL CHECK (length(secret) = 32)
);
ALTER TABLE browser_secret ENABLE ROW LEVEL SECURITY;
INSERT INTO browser_secret (secret)
    VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
