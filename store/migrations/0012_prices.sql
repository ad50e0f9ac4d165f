-- What prices may be beyond an amount for a quantity: in a custom unit, of one
-- combination of dimensions, of other prices, or a grant of credits.

-- +goose Up

-- A metric, partitioned by properties of its events. Each price of the group is
-- for one combination of their values.
CREATE TABLE dimensional_price_groups (
    account_id                          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                                  text COLLATE "C" NOT NULL,
    seq                                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at                          timestamptz NOT NULL,
    name                                text NOT NULL,
    external_dimensional_price_group_id text COLLATE "C",
    metric_id                           text COLLATE "C" NOT NULL,
    dimensions                          jsonb NOT NULL CHECK (jsonb_array_length(dimensions) > 0), -- in this order
    metadata                            jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, metric_id) REFERENCES metrics (account_id, id)
);
CREATE INDEX dimensional_price_groups_newest ON dimensional_price_groups (account_id, created_at, seq);
CREATE UNIQUE INDEX dimensional_price_groups_alias
    ON dimensional_price_groups (account_id, external_dimensional_price_group_id);

CREATE TABLE license_types (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL,
    name         text NOT NULL,
    grouping_key text NOT NULL,                -- the property that tells events whose license they use
    PRIMARY KEY (account_id, id)
);
CREATE INDEX license_types_oldest ON license_types (account_id, created_at, seq);

ALTER TABLE prices
    ADD conversion_rate            numeric CHECK (conversion_rate >= 0), -- money for one of a custom unit
    ADD conversion_rate_config     jsonb,
    ADD invoicing_cycle            jsonb,      -- null: as the billing cycle
    ADD invoice_grouping_key       text,       -- the property by whose values an invoice shows the price
    ADD dimensional_price_group_id text COLLATE "C",
    ADD dimensions                 jsonb NOT NULL DEFAULT '[]', -- those of the group, each with the price's value
    ADD composite_filters          jsonb NOT NULL DEFAULT '[]', -- the prices that a composite price charges for: all must hold
    ADD license_type_id            text COLLATE "C",
    ADD allocation                 jsonb,      -- the credits that an allocation price grants
    ADD license_allocations        jsonb NOT NULL DEFAULT '[]', -- those that it grants for each license
    ADD FOREIGN KEY (account_id, dimensional_price_group_id) REFERENCES dimensional_price_groups (account_id, id),
    ADD FOREIGN KEY (account_id, license_type_id) REFERENCES license_types (account_id, id),
    ADD CHECK (currency <> 'credits' OR conversion_rate IS NOT NULL OR conversion_rate_config IS NOT NULL),
    ADD CHECK (type = 'usage_price' OR invoice_grouping_key IS NULL),
    ADD CHECK (type = 'usage_price' OR dimensional_price_group_id IS NULL),
    ADD CHECK ((dimensional_price_group_id IS NULL) = (dimensions = '[]')),
    ADD CHECK (type = 'composite_price' OR composite_filters = '[]'),
    ADD CHECK (type = 'fixed_price' OR allocation IS NULL),
    ADD CHECK (license_allocations = '[]' OR type = 'fixed_price' AND license_type_id IS NOT NULL);

SELECT scope_to_account('dimensional_price_groups');
SELECT scope_to_account('license_types');
