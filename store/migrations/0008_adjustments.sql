-- Adjustments: discounts, minimums and maximums of plans, subscriptions and invoices; and
-- coupons, which discount subscriptions.

-- +goose Up

CREATE TABLE adjustments (
    account_id             text COLLATE "C" NOT NULL REFERENCES accounts,
    id                     text COLLATE "C" NOT NULL,
    seq                    bigint GENERATED ALWAYS AS IDENTITY, -- the order in which equals work
    created_at             timestamptz NOT NULL,
    -- exactly one of the three: where it belongs
    plan_id                text COLLATE "C",
    subscription_id        text COLLATE "C",
    invoice_id             text COLLATE "C",
    phase_order            integer,             -- of the plan; null: in all phases, or there are none
    replaces_adjustment_id text COLLATE "C",
    kind                   text NOT NULL CHECK (kind IN ('usage_discount', 'amount_discount', 'percentage_discount',
                               'tiered_percentage_discount', 'minimum', 'maximum')),
    -- a discount of one invoice that takes off what its kind says, and is shown as a trial
    is_trial               boolean NOT NULL DEFAULT false,
    value                  numeric NOT NULL CHECK (value >= 0), -- units, money or a fraction; 0 with tiers
    as_sent                text,                -- an amount of money as the client wrote it
    tiers                  jsonb NOT NULL,
    item_id                text COLLATE "C",    -- where the revenue of a minimum goes
    filters                jsonb NOT NULL,      -- which prices it is for: all must hold
    is_invoice_level       boolean NOT NULL,
    reason                 text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    FOREIGN KEY (account_id, plan_id, phase_order) REFERENCES plan_phases (account_id, plan_id, phase_order),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, replaces_adjustment_id) REFERENCES adjustments (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    CHECK (num_nonnulls(plan_id, subscription_id, invoice_id) = 1),
    CHECK ((kind = 'minimum') = (item_id IS NOT NULL)),
    CHECK (kind NOT LIKE '%percentage%' OR value <= 1),
    CHECK (NOT is_trial OR invoice_id IS NOT NULL AND kind IN ('amount_discount', 'percentage_discount'))
);
CREATE INDEX adjustments_of_invoice ON adjustments (account_id, invoice_id) WHERE invoice_id IS NOT NULL;

-- Which adjustments a version of a plan has. They work in the order in which they were made.
CREATE TABLE plan_version_adjustments (
    account_id    text COLLATE "C" NOT NULL REFERENCES accounts,
    plan_id       text COLLATE "C" NOT NULL,
    version       integer NOT NULL,
    adjustment_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, plan_id, version, adjustment_id),
    FOREIGN KEY (account_id, plan_id, version) REFERENCES plan_versions (account_id, plan_id, version),
    FOREIGN KEY (account_id, adjustment_id) REFERENCES adjustments (account_id, id)
);

CREATE TABLE coupons (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    redemption_code text COLLATE "C" NOT NULL CHECK (redemption_code <> ''),
    kind            text NOT NULL CHECK (kind IN ('percentage_discount', 'amount_discount')),
    value           numeric NOT NULL CHECK (value >= 0), -- a fraction, or money in the currency of the subscription
    duration_months integer CHECK (duration_months BETWEEN 1 AND 120), -- null: without end
    max_redemptions integer CHECK (max_redemptions BETWEEN 1 AND 1000000000), -- null: any number
    times_redeemed  integer NOT NULL CHECK (times_redeemed >= 0),
    archived_at     timestamptz,                -- null: it can be redeemed
    PRIMARY KEY (account_id, id),
    CHECK (kind <> 'percentage_discount' OR value <= 1),
    CHECK (times_redeemed <= max_redemptions)
);
CREATE INDEX coupons_newest ON coupons (account_id, created_at, seq);
-- An archived coupon leaves its code to others.
CREATE UNIQUE INDEX coupons_code ON coupons (account_id, redemption_code) WHERE archived_at IS NULL;

SELECT scope_to_account('adjustments');
SELECT scope_to_account('plan_version_adjustments');
SELECT scope_to_account('coupons');
