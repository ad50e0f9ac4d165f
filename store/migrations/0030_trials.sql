-- A stint may begin with a trial: fees are not charged then, and usage is free.

-- +goose Up

ALTER TABLE plans ADD COLUMN trial_days integer CHECK (trial_days > 0); -- of its subscriptions; null: none
ALTER TABLE stints ADD COLUMN trial_end_at timestamptz;                   -- exclusive; null: none
