-- Top-ups: credits that a customer buys by itself when few are left.

-- +goose Up

CREATE TABLE top_ups (
    account_id            text COLLATE "C" NOT NULL REFERENCES accounts,
    id                    text COLLATE "C" NOT NULL,
    seq                   bigint GENERATED ALWAYS AS IDENTITY,
    created_at            timestamptz NOT NULL,
    customer_id           text COLLATE "C" NOT NULL,
    currency              text COLLATE "C" NOT NULL,
    threshold             text NOT NULL CHECK (threshold::numeric >= 0),           -- as sent, like the next two
    amount                text NOT NULL CHECK (amount::numeric > 0),
    per_unit_cost_basis   text NOT NULL CHECK (per_unit_cost_basis::numeric >= 0),
    expires_after         integer CHECK (expires_after > 0),                       -- null: never
    expires_after_unit    text CHECK (expires_after_unit IN ('day', 'month')),
    active_from           timestamptz NOT NULL,
    auto_collection       boolean NOT NULL,
    net_terms_days        integer NOT NULL CHECK (net_terms_days >= 0),
    memo                  text,
    requires_payment      boolean NOT NULL,
    seen_changes          bigint,                 -- of the ledger when it was looked at last; null: never
    deactivated_at        timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    CHECK ((expires_after IS NULL) = (expires_after_unit IS NULL))
);
-- One for each unit; another takes its place.
CREATE UNIQUE INDEX top_ups_active ON top_ups (account_id, customer_id, currency) WHERE deactivated_at IS NULL;
CREATE INDEX top_ups_newest ON top_ups (account_id, created_at, seq) WHERE deactivated_at IS NULL;

SELECT scope_to_account('top_ups');
