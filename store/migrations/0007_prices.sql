-- Prices: of plans, of add-ons, of one subscription or one invoice alone.

-- +goose Up

CREATE TABLE prices (
    account_id                 text COLLATE "C" NOT NULL REFERENCES accounts,
    id                         text COLLATE "C" NOT NULL,
    seq                        bigint GENERATED ALWAYS AS IDENTITY,
    created_at                 timestamptz NOT NULL,
    -- At most one of the three says where the price belongs; none: an add-on price.
    plan_id                    text COLLATE "C",
    subscription_id            text COLLATE "C",
    invoice_id                 text COLLATE "C",
    phase_order                integer,              -- of the plan; null: in all phases, or there are none
    replaces_price_id          text COLLATE "C",
    name                       text NOT NULL,
    external_price_id          text COLLATE "C",
    item_id                    text COLLATE "C" NOT NULL,
    type                       text NOT NULL CHECK (type IN ('usage_price', 'fixed_price', 'composite_price')),
    currency                   text NOT NULL,
    conversion_rate            numeric CHECK (conversion_rate >= 0), -- money for one of a custom unit
    conversion_rate_config     jsonb,
    model_type                 text NOT NULL,
    config                     jsonb NOT NULL,
    cadence                    text NOT NULL CHECK (cadence IN ('one_time', 'monthly', 'quarterly', 'semi_annual', 'annual', 'custom')),
    -- how long a billing cycle is: months or days; both 0 when billed once
    cycle_months               integer NOT NULL CHECK (cycle_months >= 0),
    cycle_days                 integer NOT NULL CHECK (cycle_days >= 0),
    billing_mode               text NOT NULL CHECK (billing_mode IN ('in_advance', 'in_arrear')),
    invoicing_cycle            jsonb,                -- null: as the billing cycle
    quantity                   numeric CHECK (quantity >= 0), -- of a fixed fee
    metric_id                  text COLLATE "C",
    dimensional_price_group_id text COLLATE "C",
    dimensions                 jsonb NOT NULL DEFAULT '[]', -- those of the group, each with the price's value
    invoice_grouping_key       text,                 -- the property by whose values an invoice shows the price
    composite_filters          jsonb NOT NULL DEFAULT '[]', -- the prices that a composite price charges for: all must hold
    allocation                 jsonb,                -- the credits that an allocation price grants
    license_type_id            text COLLATE "C",
    license_allocations        jsonb NOT NULL DEFAULT '[]', -- the credits that it grants for each license
    metadata                   jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, plan_id, phase_order) REFERENCES plan_phases (account_id, plan_id, phase_order),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, replaces_price_id) REFERENCES prices (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    FOREIGN KEY (account_id, metric_id) REFERENCES metrics (account_id, id),
    FOREIGN KEY (account_id, dimensional_price_group_id) REFERENCES dimensional_price_groups (account_id, id),
    FOREIGN KEY (account_id, license_type_id) REFERENCES license_types (account_id, id),
    CHECK (cycle_months = 0 OR cycle_days = 0),
    CHECK ((cadence = 'one_time') = (cycle_months = 0 AND cycle_days = 0)),
    CHECK ((type = 'usage_price') = (metric_id IS NOT NULL)),
    CHECK ((type = 'fixed_price') = (quantity IS NOT NULL)),
    CHECK (type = 'fixed_price' OR billing_mode = 'in_arrear'),
    CHECK (plan_id IS NULL OR subscription_id IS NULL),
    CHECK (currency <> 'credits' OR conversion_rate IS NOT NULL OR conversion_rate_config IS NOT NULL),
    CHECK (type = 'usage_price' OR invoice_grouping_key IS NULL),
    CHECK (type = 'usage_price' OR dimensional_price_group_id IS NULL),
    CHECK ((dimensional_price_group_id IS NULL) = (dimensions = '[]')),
    CHECK (type = 'composite_price' OR composite_filters = '[]'),
    CHECK (type = 'fixed_price' OR allocation IS NULL),
    CHECK (license_allocations = '[]' OR type = 'fixed_price' AND license_type_id IS NOT NULL),
    CHECK (invoice_id IS NULL OR plan_id IS NULL AND subscription_id IS NULL AND type = 'fixed_price')
);
-- Prices of one subscription are not in the catalog, and share no alias with it.
CREATE INDEX prices_newest ON prices (account_id, created_at, seq) WHERE subscription_id IS NULL;
CREATE INDEX prices_by_alias ON prices (account_id, external_price_id) WHERE external_price_id IS NOT NULL;
-- In plans an alias may repeat, since the price of a new version has that of the price it
-- replaces.
CREATE UNIQUE INDEX prices_addon_alias ON prices (account_id, external_price_id)
    WHERE plan_id IS NULL AND subscription_id IS NULL;

-- Which prices a version of a plan has, and in what order. Versions share prices.
CREATE TABLE plan_version_prices (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    plan_id    text COLLATE "C" NOT NULL,
    version    integer NOT NULL,
    price_id   text COLLATE "C" NOT NULL,
    position   integer NOT NULL,
    PRIMARY KEY (account_id, plan_id, version, price_id),
    UNIQUE (account_id, plan_id, version, position),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version),
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id)
);

SELECT scope_to_account('prices');
SELECT scope_to_account('plan_version_prices');
