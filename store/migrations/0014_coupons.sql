-- Coupons, and which discounts of subscriptions come from one.

-- +goose Up

CREATE TABLE coupons (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    redemption_code text COLLATE "C" NOT NULL CHECK (redemption_code <> ''),
    kind            text NOT NULL CHECK (kind IN ('percentage_discount', 'amount_discount')),
    value           numeric NOT NULL CHECK (value >= 0), -- a fraction, or money of whatever currency it meets
    duration_months integer CHECK (duration_months BETWEEN 1 AND 120), -- null: for ever
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

SELECT scope_to_account('coupons');

ALTER TABLE adjustment_intervals
    ADD coupon_id text COLLATE "C",             -- whose redemption it is
    ADD FOREIGN KEY (account_id, coupon_id) REFERENCES coupons (account_id, id);
CREATE INDEX adjustment_intervals_of_coupon ON adjustment_intervals (account_id, coupon_id, subscription_id)
    WHERE coupon_id IS NOT NULL;
