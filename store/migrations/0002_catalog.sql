-- What is sold: items, the metrics that measure their use, prices, and the plans
-- that bundle prices.

-- +goose Up

CREATE TABLE items (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    name       text NOT NULL,
    metadata   jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
CREATE INDEX items_newest ON items (account_id, created_at, seq);

CREATE TABLE metrics (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    name        text NOT NULL,
    description text,
    item_id     text COLLATE "C" NOT NULL,
    sql         text NOT NULL,
    status      text NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    metadata    jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id)
);
CREATE INDEX metrics_newest ON metrics (account_id, created_at, seq);

CREATE TABLE plans (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    name                 text NOT NULL,
    external_plan_id     text COLLATE "C",     -- several plans may share one
    description          text,
    currency             text NOT NULL,
    invoicing_currency   text NOT NULL,
    net_terms_days       integer CHECK (net_terms_days BETWEEN 0 AND 365), -- null: not said
    default_invoice_memo text,
    status               text NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    version              integer NOT NULL,     -- the one that new subscriptions get
    product_id           text COLLATE "C" NOT NULL,
    metadata             jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
CREATE INDEX plans_newest ON plans (account_id, created_at, seq);
CREATE INDEX plans_by_alias ON plans (account_id, external_plan_id) WHERE external_plan_id IS NOT NULL;

CREATE TABLE prices (
    account_id        text COLLATE "C" NOT NULL REFERENCES accounts,
    id                text COLLATE "C" NOT NULL,
    seq               bigint GENERATED ALWAYS AS IDENTITY,
    created_at        timestamptz NOT NULL,
    plan_id           text COLLATE "C",        -- null: an add-on price
    name              text NOT NULL,
    item_id           text COLLATE "C" NOT NULL,
    metric_id         text COLLATE "C",
    external_price_id text COLLATE "C",
    cadence           text NOT NULL CHECK (cadence IN ('one_time', 'monthly', 'quarterly', 'semi_annual', 'annual', 'custom')),
    -- how long a billing cycle is: months or days; both 0 when billed once
    cycle_months      integer NOT NULL CHECK (cycle_months >= 0),
    cycle_days        integer NOT NULL CHECK (cycle_days >= 0),
    billing_mode      text NOT NULL CHECK (billing_mode IN ('in_advance', 'in_arrear')),
    type              text NOT NULL CHECK (type IN ('usage_price', 'fixed_price', 'composite_price')),
    currency          text NOT NULL,
    quantity          numeric CHECK (quantity >= 0), -- of a fixed fee
    model_type        text NOT NULL,
    config            jsonb NOT NULL,
    metadata          jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    FOREIGN KEY (account_id, metric_id) REFERENCES metrics (account_id, id),
    CHECK (cycle_months = 0 OR cycle_days = 0),
    CHECK ((cadence = 'one_time') = (cycle_months = 0 AND cycle_days = 0)),
    CHECK ((type = 'usage_price') = (metric_id IS NOT NULL)),
    CHECK ((type = 'fixed_price') = (quantity IS NOT NULL)),
    CHECK (type = 'fixed_price' OR billing_mode = 'in_arrear')
);
CREATE INDEX prices_newest ON prices (account_id, created_at, seq);
CREATE INDEX prices_by_alias ON prices (account_id, external_price_id) WHERE external_price_id IS NOT NULL;
-- In plans an alias may repeat, since the price of a new version bears that of
-- the price it replaces.
CREATE UNIQUE INDEX prices_addon_alias ON prices (account_id, external_price_id) WHERE plan_id IS NULL;

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
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id)
);

SELECT scope_to_account('items');
SELECT scope_to_account('metrics');
SELECT scope_to_account('plans');
SELECT scope_to_account('prices');
SELECT scope_to_account('plan_version_prices');
