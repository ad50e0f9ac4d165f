-- By which filter and with which parameters of its metric a price counted until when.
-- Others count from the instant of their edit on; usage before it counts as it did.

-- +goose Up

-- Each entry has the instant until which it applied, exclusive, and the value: a filter or
-- null, and parameters by name. [{"until": .., "value": ..}], by instant.
ALTER TABLE price_intervals
    ADD filters_before    jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(filters_before) = 'array'),
    ADD parameters_before jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(parameters_before) = 'array');
