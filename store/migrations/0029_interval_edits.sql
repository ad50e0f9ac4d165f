-- Price intervals can be edited: begun or ended on other dates, and billed on another
-- day.

-- +goose Up

ALTER TABLE price_intervals
    ADD COLUMN billing_day integer CHECK (billing_day BETWEEN 1 AND 31); -- null: as the subscription

-- Invoices that were issued before cannot be worked out anew from the intervals.
ALTER TABLE subscriptions ADD COLUMN edited_at timestamptz;

-- The whole line was taken back, since what it charged is not billed so any more;
-- should it be billed again, it is charged anew.
ALTER TABLE credit_note_lines ADD COLUMN undone boolean NOT NULL DEFAULT false;
