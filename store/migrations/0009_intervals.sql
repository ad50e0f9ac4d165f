-- Over which time a price or an adjustment holds for a subscription. An interval may end
-- where it begins.

-- +goose Up

CREATE TABLE price_intervals (
    account_id                 text COLLATE "C" NOT NULL REFERENCES accounts,
    id                         text COLLATE "C" NOT NULL,
    seq                        bigint GENERATED ALWAYS AS IDENTITY,
    created_at                 timestamptz NOT NULL,
    subscription_id            text COLLATE "C" NOT NULL,
    plan_interval_id           text COLLATE "C",   -- null: of the plan interval in which it begins
    price_id                   text COLLATE "C" NOT NULL,
    position                   integer NOT NULL,   -- order of the prices on invoices
    start_at                   timestamptz NOT NULL,
    end_at                     timestamptz,        -- exclusive; null: with the subscription
    billing_day                integer CHECK (billing_day BETWEEN 1 AND 31), -- null: as the subscription
    can_defer_billing          boolean NOT NULL DEFAULT false, -- ended within a cycle, it waits for the next invoice
    metric_parameter_overrides jsonb NOT NULL DEFAULT '{}', -- numbers and strings by the name of the metric's parameter
    -- Of a usage price: the customers whose usage it counts; empty: that of the
    -- subscription alone.
    usage_customer_ids         jsonb NOT NULL DEFAULT '[]',
    -- Who they were before, for usage of that time. Each has the instant until which it
    -- held, exclusive, and the ids: [{"until": .., "customer_ids": [..]}], by instant.
    usage_customers_before     jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(usage_customers_before) = 'array'),
    filter                     text,               -- of a usage price; null: all that the metric counts
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_interval_id) REFERENCES plan_intervals (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id),
    CHECK (end_at >= start_at)
);
CREATE INDEX price_intervals_of_subscription ON price_intervals (account_id, subscription_id, position);

-- From an instant on, a fixed fee is for another quantity than its price says.
CREATE TABLE quantity_transitions (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL,
    interval_id  text COLLATE "C" NOT NULL,
    effective_at timestamptz NOT NULL,
    quantity     numeric CHECK (quantity >= 0), -- null: the one in force, since the charge resumes
    resumes      boolean NOT NULL,          -- in advance it was charged up to here, since it was to end
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, interval_id, effective_at),
    FOREIGN KEY (account_id, interval_id) REFERENCES price_intervals (account_id, id) ON DELETE CASCADE,
    CHECK ((quantity IS NULL) = resumes)
);

CREATE TABLE adjustment_intervals (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    plan_interval_id text COLLATE "C",          -- null: of the subscription, on any plan
    adjustment_id   text COLLATE "C" NOT NULL,
    coupon_id       text COLLATE "C",          -- whose redemption it is
    position        integer NOT NULL,          -- order of creation, which decides within a step
    start_at        timestamptz NOT NULL,
    end_at          timestamptz,               -- null: with the subscription
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_interval_id) REFERENCES plan_intervals (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, adjustment_id) REFERENCES adjustments (account_id, id),
    FOREIGN KEY (account_id, coupon_id) REFERENCES coupons (account_id, id),
    CHECK (end_at >= start_at)
);
CREATE INDEX adjustment_intervals_of_subscription ON adjustment_intervals (account_id, subscription_id, position);
CREATE INDEX adjustment_intervals_of_coupon ON adjustment_intervals (account_id, coupon_id, subscription_id)
    WHERE coupon_id IS NOT NULL;

SELECT scope_to_account('price_intervals');
SELECT scope_to_account('quantity_transitions');
SELECT scope_to_account('adjustment_intervals');
