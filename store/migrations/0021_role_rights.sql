-- What the server's roles may do, as text. A dump names roles of the cluster it came from. Where
-- it is restored these may not exist, or belong to the owner of another database; then the
-- rights are not restored, and are granted from here. Migrate writes the table.

-- +goose Up

CREATE TABLE role_rights (
    role      text NOT NULL, -- without the suffix of the database; PUBLIC: a right that it does not have
    kind      text NOT NULL CHECK (kind IN ('SCHEMA', 'TABLE', 'SEQUENCE', 'FUNCTION')),
    object    text NOT NULL,
    privilege text NOT NULL,
    PRIMARY KEY (role, kind, object, privilege)
);
