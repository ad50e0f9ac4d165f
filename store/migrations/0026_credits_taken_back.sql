-- What was taken back of the credits of the price that an allocation price took the place of.

-- +goose Up

-- What could not be taken back was spent, and counts as granted for the prices that follow in
-- the period. It is not known of prices that began before there was this column.
ALTER TABLE price_intervals ADD COLUMN credits_taken_back numeric CHECK (credits_taken_back >= 0); -- in credits; null: nothing was due yet

-- The interval whose price granted less. It may be removed, and another begin in its place.
ALTER TABLE allocation_reductions ADD COLUMN interval_id text COLLATE "C"; -- null: of before there was this column
