-- Subscriptions, the plans that each is on one after the other, and what their terms were
-- before each change.

-- +goose Up

CREATE TABLE subscriptions (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    customer_id          text COLLATE "C" NOT NULL,
    plan_id              text COLLATE "C" NOT NULL,
    plan_version         integer NOT NULL,
    current_plan_interval_id text COLLATE "C" NOT NULL, -- whose plan and settings the subscription has
    name                 text NOT NULL,
    currency             text NOT NULL,
    start_at             timestamptz NOT NULL,
    -- Exclusive; null: open. Canceled before it began, a subscription ends on the day it
    -- would have begun.
    end_at               timestamptz,
    anchor_day           integer NOT NULL CHECK (anchor_day BETWEEN 1 AND 31),
    anchor_month         integer CHECK (anchor_month BETWEEN 1 AND 12),
    anchor_year          integer,
    auto_collection      boolean,              -- null: as the customer
    auto_issuance        boolean,              -- null: as the customer, else the account
    default_invoice_memo text,                 -- null: as the plan
    net_terms_days       integer CHECK (net_terms_days >= 0), -- null: as the plan
    invoicing_threshold  numeric CHECK (invoicing_threshold > 0), -- in its currency
    revision             integer NOT NULL DEFAULT 0, -- how often its terms were changed
    metadata             jsonb NOT NULL DEFAULT '{}',
    -- Due work: the next instant of each kind, null when there is none.
    next_billing_at      timestamptz,          -- a billing date: its invoice and the draft after it are opened
    next_change_at       timestamptz,          -- fees that were charged in advance are credited
    next_grant_at        timestamptz,          -- a period begins for which credits are granted
    next_reset_at        timestamptz,          -- licenses are granted the credits of their next period
    next_news_at         timestamptz,          -- it begins or ends, and endpoints are told
    accrual_changed      boolean NOT NULL DEFAULT false, -- its usage is to be compared with the invoicing threshold
    partial_at           timestamptz,          -- when a partial invoice was made last
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK (end_at >= start_at)
-- Work that is done leaves dead rows at the head of the indexes by which the next is found.
-- Every search passes them until they are removed, so that is done sooner.
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX subscriptions_newest ON subscriptions (account_id, created_at, seq);
CREATE INDEX subscriptions_of_customer ON subscriptions (account_id, customer_id);
CREATE INDEX subscriptions_with_threshold ON subscriptions (account_id, customer_id) WHERE invoicing_threshold IS NOT NULL;
CREATE INDEX subscriptions_due ON subscriptions (account_id, next_billing_at, seq) WHERE next_billing_at IS NOT NULL;
CREATE INDEX subscriptions_changing ON subscriptions (account_id, next_change_at, seq) WHERE next_change_at IS NOT NULL;
CREATE INDEX subscriptions_granting ON subscriptions (account_id, next_grant_at, seq) WHERE next_grant_at IS NOT NULL;
CREATE INDEX subscriptions_resetting ON subscriptions (account_id, next_reset_at, seq) WHERE next_reset_at IS NOT NULL;
CREATE INDEX subscriptions_news ON subscriptions (account_id, next_news_at, seq) WHERE next_news_at IS NOT NULL;
CREATE INDEX subscriptions_accrued ON subscriptions (account_id, seq) WHERE accrual_changed;

-- A subscription may move from one plan to another. What belongs to a plan ends where the
-- next plan interval begins.
CREATE TABLE plan_intervals (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    subscription_id      text COLLATE "C" NOT NULL,
    plan_id              text COLLATE "C" NOT NULL,
    plan_version         integer NOT NULL,
    start_at             timestamptz NOT NULL,  -- it ends where the next one starts
    trial_end_at         timestamptz,           -- exclusive; until then fees are not charged and usage is free; null: no trial
    ends_at              timestamptz,           -- where the last phase of the plan ends the subscription
    -- where billing cycles begin from then on; null: where they did
    anchor_day           integer CHECK (anchor_day BETWEEN 1 AND 31),
    anchor_month         integer CHECK (anchor_month BETWEEN 1 AND 12),
    anchor_year          integer,
    -- settings of the subscription from then on; null: as before
    auto_collection      boolean,
    auto_issuance        boolean,
    default_invoice_memo text,
    net_terms_days       integer CHECK (net_terms_days >= 0),
    invoicing_threshold  numeric CHECK (invoicing_threshold > 0),
    -- what its prices began with, see price_intervals
    usage_customer_ids   jsonb NOT NULL DEFAULT '[]',
    filter               text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
CREATE INDEX plan_intervals_of_subscription ON plan_intervals (account_id, subscription_id, start_at, seq);

-- The phases of a subscription whose plan has some.
CREATE TABLE subscription_phases (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    plan_interval_id text COLLATE "C" NOT NULL,
    phase_order     integer NOT NULL CHECK (phase_order >= 1),
    start_at        timestamptz NOT NULL,
    end_at          timestamptz,               -- exclusive; null: with the subscription
    aligned         boolean NOT NULL,          -- new billing cycles begin where it starts
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, plan_interval_id, phase_order),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_interval_id) REFERENCES plan_intervals (account_id, id) ON DELETE CASCADE,
    CHECK (end_at >= start_at)
);
CREATE INDEX subscription_phases_of_subscription ON subscription_phases (account_id, subscription_id, start_at);

-- Changes that were asked for and wait to be applied or canceled: the request is kept, and
-- carried out when the change is applied.
CREATE TABLE subscription_changes (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C",          -- null: it makes one, and is not applied yet
    type            text NOT NULL,             -- the operation that was asked for
    request         text NOT NULL,             -- its body, in JSON
    expires_at      timestamptz NOT NULL,      -- still pending then, it is canceled
    applied_at      timestamptz,
    cancelled_at    timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    CHECK (applied_at IS NULL OR cancelled_at IS NULL)
);
CREATE UNIQUE INDEX subscription_changes_pending ON subscription_changes (account_id, subscription_id)
    WHERE applied_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX subscription_changes_expiring ON subscription_changes (account_id, expires_at, seq)
    WHERE applied_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX subscription_changes_newest ON subscription_changes (account_id, created_at, seq);

-- What the terms of a subscription were before each change of them. An invoice names the
-- revision that it was issued by, so it can be computed again, to the byte, after any later
-- change. Each column has the rows of the table of that name. They are deleted only with
-- the subscription.
CREATE TABLE terms_revisions (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,                            -- when they were changed
    subscription_id      text COLLATE "C" NOT NULL,
    revision             integer NOT NULL,
    subscriptions        jsonb NOT NULL,
    plan_intervals       jsonb NOT NULL,
    subscription_phases  jsonb NOT NULL,
    price_intervals      jsonb NOT NULL,
    quantity_transitions jsonb NOT NULL,
    adjustment_intervals jsonb NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, subscription_id, revision),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE
);
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON terms_revisions
    FOR EACH ROW EXECUTE FUNCTION keep_past_terms();

SELECT scope_to_account('subscriptions');
SELECT scope_to_account('plan_intervals');
SELECT scope_to_account('subscription_phases');
SELECT scope_to_account('subscription_changes');
SELECT scope_to_account('terms_revisions');
