-- Alerts, what is to be looked at for them, and what they told already; and the same for
-- thresholds at which usage is invoiced before its period ends.

-- +goose Up

CREATE TABLE alerts (
    account_id          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                  text COLLATE "C" NOT NULL,
    seq                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at          timestamptz NOT NULL,
    deleted_at          timestamptz,
    type                text NOT NULL,
    customer_id         text COLLATE "C",       -- exactly one of the three: whose it is
    subscription_id     text COLLATE "C",
    plan_id             text COLLATE "C",       -- of all subscriptions to this version
    plan_version        integer,
    metric_id           text COLLATE "C",
    license_type_id     text COLLATE "C",       -- of the licenses that it looks at
    currency            text COLLATE "C",
    grouping_keys       jsonb NOT NULL,         -- properties; empty: all usage together
    thresholds          jsonb NOT NULL,         -- decimals as text, in the order given
    price_filters       jsonb NOT NULL,
    threshold_overrides jsonb NOT NULL,
    in_alert            jsonb NOT NULL,         -- of a balance alert: the thresholds at or below which the balance is
    enabled             boolean NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, metric_id) REFERENCES metrics (account_id, id),
    FOREIGN KEY (account_id, license_type_id) REFERENCES license_types (account_id, id),
    CHECK (num_nonnulls(customer_id, subscription_id, plan_id) = 1),
    CHECK ((plan_id IS NULL) = (plan_version IS NULL)),
    CHECK ((type = 'usage_exceeded') = (metric_id IS NOT NULL)),
    CHECK ((type LIKE 'credit_balance_%') = (customer_id IS NOT NULL)),
    CHECK (type = 'cost_exceeded' OR grouping_keys = '[]'),
    CHECK ((type = 'license_balance_threshold_reached') = (license_type_id IS NOT NULL)),
    CONSTRAINT alerts_type_check CHECK (type IN ('usage_exceeded', 'cost_exceeded', 'spend_exceeded',
        'credit_balance_depleted', 'credit_balance_dropped', 'credit_balance_recovered', 'license_balance_threshold_reached'))
);
CREATE INDEX alerts_of_customer ON alerts (account_id, customer_id, created_at, seq) WHERE deleted_at IS NULL;
CREATE INDEX alerts_of_subscription ON alerts (account_id, subscription_id) WHERE deleted_at IS NULL;
CREATE INDEX alerts_of_plan ON alerts (account_id, plan_id, plan_version) WHERE deleted_at IS NULL;

-- One of a kind: a grouped cost alert is another kind than a plain one.
CREATE UNIQUE INDEX alerts_of_balance ON alerts (account_id, customer_id, currency, type) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX alerts_of_usage ON alerts (account_id, coalesce(subscription_id, plan_id), coalesce(plan_version, 0), metric_id)
    WHERE deleted_at IS NULL AND type = 'usage_exceeded';
CREATE UNIQUE INDEX alerts_of_cost ON alerts (account_id, coalesce(subscription_id, plan_id), coalesce(plan_version, 0), (grouping_keys = '[]'))
    WHERE deleted_at IS NULL AND type = 'cost_exceeded';
CREATE UNIQUE INDEX alerts_of_license ON alerts (account_id, subscription_id, license_type_id)
    WHERE deleted_at IS NULL AND type = 'license_balance_threshold_reached';
SELECT scope_to_account('alerts');

-- Subscriptions for which an alert of their plan is off.
CREATE TABLE alert_exceptions (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    alert_id        text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, alert_id, subscription_id),
    FOREIGN KEY (account_id, alert_id) REFERENCES alerts (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE
);
SELECT scope_to_account('alert_exceptions');

-- That a threshold was reached: once in a billing period, and for each group.
CREATE TABLE alert_firings (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    alert_id        text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    period_start    timestamptz NOT NULL,
    group_digest    bytea NOT NULL,             -- of the values of the group; empty without groups
    threshold       numeric NOT NULL,
    value           numeric NOT NULL,           -- that reached it
    PRIMARY KEY (account_id, id),
    CONSTRAINT alert_firings_once UNIQUE (account_id, alert_id, subscription_id, period_start, group_digest, threshold),
    FOREIGN KEY (account_id, alert_id) REFERENCES alerts (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE
);
SELECT scope_to_account('alert_firings');

-- Which subscriptions, or balances of customers, are to be looked at, and when. Rows are only
-- put in and taken out, so a change of something never waits for the look at it.
CREATE TABLE alert_looks (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    subscription_id text COLLATE "C",
    customer_id     text COLLATE "C",
    due_at          timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK (num_nonnulls(subscription_id, customer_id) = 1)
);
CREATE INDEX alert_looks_due ON alert_looks (account_id, due_at, id);
CREATE INDEX alert_looks_of ON alert_looks (account_id, coalesce(subscription_id, customer_id));
SELECT scope_to_account('alert_looks');

-- The events that subscriptions and balances were looked at for: those of transactions that
-- seen sees. An account without alerts and top-ups has no row.
CREATE TABLE alert_progress (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    seen       pg_snapshot NOT NULL
);
SELECT scope_to_account('alert_progress');

-- Up to where the usage of an account was looked at for invoicing thresholds.
CREATE TABLE accrual_progress (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    seen       pg_snapshot NOT NULL, -- the events that were there: those of transactions it sees
    changes    bigint NOT NULL       -- of the history of usage
);
SELECT scope_to_account('accrual_progress');
