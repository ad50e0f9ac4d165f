-- Who made an API key: the key or the person of the request. Null: the command line, or an older release.

-- +goose Up

ALTER TABLE api_keys
    ADD created_by text COLLATE "C";
