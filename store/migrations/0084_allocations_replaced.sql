-- What was taken back of grants, as a price that grants less took the place of another in the
-- middle of a period.

-- +goose Up

CREATE TABLE allocation_takings (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    grant_id   text COLLATE "C" NOT NULL,
    taken_at   timestamptz NOT NULL,                -- when the price began that grants less
    amount     numeric NOT NULL CHECK (amount >= 0), -- in credits: the difference, or what was unspent of it
    PRIMARY KEY (account_id, id),
    CONSTRAINT allocation_takings_once UNIQUE (account_id, grant_id, taken_at),
    FOREIGN KEY (account_id, grant_id) REFERENCES allocation_grants (account_id, id) ON DELETE CASCADE
);
SELECT scope_to_account('allocation_takings');
