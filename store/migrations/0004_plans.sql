-- Plans bundle prices. They have versions, and may have phases.

-- +goose Up

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
    trial_days           integer CHECK (trial_days > 0), -- of its subscriptions; null: none
    default_invoice_memo text,
    status               text NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    version              integer NOT NULL,     -- the one that new subscriptions get
    product_id           text COLLATE "C" NOT NULL,
    metadata             jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
CREATE INDEX plans_newest ON plans (account_id, created_at, seq);
CREATE INDEX plans_by_alias ON plans (account_id, external_plan_id) WHERE external_plan_id IS NOT NULL;

-- What a version consists of is in tables of its own (plan_version_prices,
-- plan_version_adjustments), since versions share what they do not change.
CREATE TABLE plan_versions (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    plan_id    text COLLATE "C" NOT NULL,
    version    integer NOT NULL CHECK (version > 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, plan_id, version),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
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
    aligned       boolean NOT NULL,             -- new billing cycles begin where it starts
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, plan_id, phase_order),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK (duration IS NULL OR duration_unit IS NOT NULL)
);

SELECT scope_to_account('plans');
SELECT scope_to_account('plan_versions');
SELECT scope_to_account('plan_phases');
