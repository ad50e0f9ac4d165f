-- What a key may do, from where, and which key it replaces. Keys that were there may do
-- everything from anywhere, as before.

-- +goose Up

ALTER TABLE api_keys
    ADD COLUMN scopes   text NOT NULL DEFAULT 'all' CHECK (scopes ~ '^[a-z_]+(:[a-z]+)?( [a-z_]+(:[a-z]+)?)*$'), -- separated by spaces
    ADD COLUMN networks text NOT NULL DEFAULT '', -- CIDR, separated by spaces; '': any
    ADD COLUMN replaces text COLLATE "C" REFERENCES api_keys; -- the key that it was rotated from
CREATE INDEX ON api_keys (account_id, seq);
