-- The billing day of a price interval can be moved by an edit. It holds from the running cycle on, so the days before it
-- are kept: [{"until": .., "value": ..}], by instant, exclusive; a value of null is the day of the subscription.

-- +goose Up

ALTER TABLE price_intervals
    ADD billing_days_before jsonb NOT NULL DEFAULT '[]';
