-- A subscription may move from one plan to another: it spends stints on plans, one
-- after the other. What belongs to a plan ends where the next stint begins.

-- +goose Up

CREATE TABLE stints (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    subscription_id      text COLLATE "C" NOT NULL,
    plan_id              text COLLATE "C" NOT NULL,
    plan_version         integer NOT NULL,
    start_at             timestamptz NOT NULL,  -- it ends where the next one starts
    -- where billing cycles begin from then on; null: where they did
    anchor_day           integer CHECK (anchor_day BETWEEN 1 AND 31),
    anchor_month         integer CHECK (anchor_month BETWEEN 1 AND 12),
    anchor_year          integer,
    -- settings of the subscription from then on; null: as before
    auto_collection      boolean,
    auto_issuance        boolean,
    default_invoice_memo text,
    net_terms_days       integer CHECK (net_terms_days >= 0),
    ends_at              timestamptz,           -- where the last phase of the plan ends the subscription
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
CREATE INDEX stints_of_subscription ON stints (account_id, subscription_id, start_at, seq);

INSERT INTO stints (account_id, id, created_at, subscription_id, plan_id, plan_version, start_at)
SELECT account_id, 'stint_' || substr(id, 5), created_at, id, plan_id, plan_version, start_at FROM subscriptions ORDER BY seq;
-- The stint whose plan and settings the subscription has.
ALTER TABLE subscriptions ADD COLUMN entered_stint_id text COLLATE "C";
UPDATE subscriptions SET entered_stint_id = 'stint_' || substr(id, 5);
ALTER TABLE subscriptions ALTER COLUMN entered_stint_id SET NOT NULL;

-- Null: of whichever stint it begins in.
ALTER TABLE price_intervals
    ADD COLUMN stint_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, stint_id) REFERENCES stints (account_id, id) ON DELETE CASCADE;
-- Null: of the subscription, whatever plan it is on.
ALTER TABLE adjustment_intervals
    ADD COLUMN stint_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, stint_id) REFERENCES stints (account_id, id) ON DELETE CASCADE;
ALTER TABLE subscription_phases
    ADD COLUMN stint_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, stint_id) REFERENCES stints (account_id, id) ON DELETE CASCADE,
    DROP CONSTRAINT subscription_phases_account_id_subscription_id_phase_order_key;
UPDATE price_intervals SET stint_id = 'stint_' || substr(subscription_id, 5);
UPDATE adjustment_intervals SET stint_id = 'stint_' || substr(subscription_id, 5) WHERE coupon_id IS NULL;
UPDATE subscription_phases SET stint_id = 'stint_' || substr(subscription_id, 5);
ALTER TABLE subscription_phases
    ALTER COLUMN stint_id SET NOT NULL,
    ADD UNIQUE (account_id, stint_id, phase_order);
CREATE INDEX subscription_phases_of_subscription ON subscription_phases (account_id, subscription_id, start_at);

SELECT scope_to_account('stints');
