-- Subscriptions, and the time over which each of their prices is billed.

-- +goose Up

CREATE TABLE subscriptions (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    customer_id          text COLLATE "C" NOT NULL,
    plan_id              text COLLATE "C" NOT NULL,
    plan_version         integer NOT NULL,
    name                 text NOT NULL,
    currency             text NOT NULL,
    start_at             timestamptz NOT NULL,
    end_at               timestamptz,          -- exclusive; null: open
    anchor_day           integer NOT NULL CHECK (anchor_day BETWEEN 1 AND 31),
    anchor_month         integer CHECK (anchor_month BETWEEN 1 AND 12),
    anchor_year          integer,
    auto_collection      boolean,              -- null: as the customer
    auto_issuance        boolean,              -- null: as the customer, else the account
    default_invoice_memo text,                 -- null: as the plan
    net_terms_days       integer CHECK (net_terms_days >= 0), -- null: as the plan
    metadata             jsonb NOT NULL DEFAULT '{}',
    -- the next billing date on which its invoice and the draft after it are
    -- opened; null when nothing will be billed any more
    next_billing_at      timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK (end_at > start_at)
);
CREATE INDEX subscriptions_newest ON subscriptions (account_id, created_at, seq);
CREATE INDEX subscriptions_of_customer ON subscriptions (account_id, customer_id);
CREATE INDEX subscriptions_due ON subscriptions (account_id, next_billing_at, seq)
    WHERE next_billing_at IS NOT NULL;

CREATE TABLE price_intervals (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    price_id        text COLLATE "C" NOT NULL,
    position        integer NOT NULL,          -- order of the prices on invoices
    start_at        timestamptz NOT NULL,
    end_at          timestamptz,               -- exclusive; null: with the subscription
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id),
    CHECK (end_at > start_at)
);
CREATE INDEX price_intervals_of_subscription ON price_intervals (account_id, subscription_id, position);

SELECT scope_to_account('subscriptions');
SELECT scope_to_account('price_intervals');
