-- Versions and phases of plans, the adjustments in them, and prices and
-- adjustments that are made for one subscription.

-- +goose Up

-- What a version consists of is in tables of its own, since versions share what
-- they do not change.
CREATE TABLE plan_versions (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    plan_id    text COLLATE "C" NOT NULL,
    version    integer NOT NULL CHECK (version > 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, plan_id, version),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
INSERT INTO plan_versions (account_id, plan_id, version, created_at)
    SELECT account_id, id, version, created_at FROM plans;
ALTER TABLE plan_version_prices
    ADD FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version);
-- A plan and its first version need each other.
ALTER TABLE plans
    ADD FOREIGN KEY (account_id, id, version) REFERENCES plan_versions (account_id, plan_id, version)
    DEFERRABLE INITIALLY DEFERRED;

-- A ramp: phases follow one another, the same in all versions of the plan.
CREATE TABLE plan_phases (
    account_id    text COLLATE "C" NOT NULL REFERENCES accounts,
    id            text COLLATE "C" NOT NULL,
    seq           bigint GENERATED ALWAYS AS IDENTITY,
    created_at    timestamptz NOT NULL,
    plan_id       text COLLATE "C" NOT NULL,
    phase_order   integer NOT NULL CHECK (phase_order > 0),
    duration      integer CHECK (duration > 0), -- in units; null: open-ended
    duration_unit text CHECK (duration_unit IN ('daily', 'monthly', 'quarterly', 'semi_annual', 'annual')),
    aligned       boolean NOT NULL,             -- billing cycles begin anew where it starts
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, plan_id, phase_order),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK (duration IS NULL OR duration_unit IS NOT NULL)
);

ALTER TABLE prices
    ADD subscription_id   text COLLATE "C",     -- the only one it is made for
    ADD phase_order       integer,              -- null: in all phases, or there are none
    ADD replaces_price_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    ADD FOREIGN KEY (account_id, plan_id, phase_order) REFERENCES plan_phases (account_id, plan_id, phase_order),
    ADD FOREIGN KEY (account_id, replaces_price_id) REFERENCES prices (account_id, id),
    ADD CHECK (plan_id IS NULL OR subscription_id IS NULL);
-- Prices of one subscription are not in the catalog, and share no alias with it.
DROP INDEX prices_newest;
CREATE INDEX prices_newest ON prices (account_id, created_at, seq) WHERE subscription_id IS NULL;
DROP INDEX prices_addon_alias;
CREATE UNIQUE INDEX prices_addon_alias ON prices (account_id, external_price_id)
    WHERE plan_id IS NULL AND subscription_id IS NULL;

CREATE TABLE adjustments (
    account_id             text COLLATE "C" NOT NULL REFERENCES accounts,
    id                     text COLLATE "C" NOT NULL,
    seq                    bigint GENERATED ALWAYS AS IDENTITY, -- the order in which equals work
    created_at             timestamptz NOT NULL,
    plan_id                text COLLATE "C",
    subscription_id        text COLLATE "C",
    phase_order            integer,             -- null: in all phases, or there are none
    replaces_adjustment_id text COLLATE "C",
    kind                   text NOT NULL CHECK (kind IN ('usage_discount', 'amount_discount', 'percentage_discount',
                               'tiered_percentage_discount', 'minimum', 'maximum')),
    value                  numeric NOT NULL CHECK (value >= 0), -- units, money or a fraction; 0 with tiers
    as_sent                text,                -- an amount of money as the client wrote it
    tiers                  jsonb NOT NULL,
    item_id                text COLLATE "C",    -- where the revenue of a minimum goes
    filters                jsonb NOT NULL,      -- which prices it is for: all must hold
    is_invoice_level       boolean NOT NULL,
    reason                 text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_id, phase_order) REFERENCES plan_phases (account_id, plan_id, phase_order),
    FOREIGN KEY (account_id, replaces_adjustment_id) REFERENCES adjustments (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    CHECK ((plan_id IS NULL) <> (subscription_id IS NULL)),
    CHECK ((kind = 'minimum') = (item_id IS NOT NULL)),
    CHECK (kind NOT LIKE '%percentage%' OR value <= 1)
);

-- Which adjustments a version of a plan has. They work in the order of their making.
CREATE TABLE plan_version_adjustments (
    account_id    text COLLATE "C" NOT NULL REFERENCES accounts,
    plan_id       text COLLATE "C" NOT NULL,
    version       integer NOT NULL,
    adjustment_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, plan_id, version, adjustment_id),
    FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version),
    FOREIGN KEY (account_id, adjustment_id) REFERENCES adjustments (account_id, id)
);

SELECT scope_to_account('plan_versions');
SELECT scope_to_account('plan_phases');
SELECT scope_to_account('adjustments');
SELECT scope_to_account('plan_version_adjustments');
