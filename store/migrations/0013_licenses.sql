-- Licenses: who, by a name of the client's, may use a subscription, and over which time.

-- +goose Up

-- Ranges of text let an exclusion constraint compare ids: here those of one license, in
-- backfills one customer with all.
CREATE TYPE text_range AS RANGE (subtype = text, collation = "C");

CREATE TABLE licenses (
    account_id          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                  text COLLATE "C" NOT NULL,
    seq                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at          timestamptz NOT NULL,
    subscription_id     text COLLATE "C" NOT NULL,
    license_type_id     text COLLATE "C" NOT NULL,
    external_license_id text COLLATE "C" NOT NULL CHECK (external_license_id <> ''),
    start_at            timestamptz NOT NULL,  -- a midnight of the customer's, as end_at
    end_at              timestamptz,           -- exclusive; null: open
    changed_at          timestamptz,           -- when its end was last moved; null: never
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, license_type_id) REFERENCES license_types (account_id, id),
    CHECK (end_at > start_at),
    -- A name is used again only after it was given back.
    CONSTRAINT licenses_overlap EXCLUDE USING gist (
        text_range(account_id, account_id, '[]') WITH &&,
        text_range(subscription_id, subscription_id, '[]') WITH &&,
        text_range(license_type_id, license_type_id, '[]') WITH &&,
        text_range(external_license_id, external_license_id, '[]') WITH &&,
        tstzrange(start_at, end_at) WITH &&
    )
);
CREATE INDEX licenses_of_subscription ON licenses (account_id, subscription_id, created_at, seq);

SELECT scope_to_account('licenses');
