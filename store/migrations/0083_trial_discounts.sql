-- A discount of one invoice can be called a trial. It takes off an amount or a percentage,
-- as its kind says, and is shown as a trial.

-- +goose Up

ALTER TABLE adjustments
    ADD is_trial boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT is_trial OR invoice_id IS NOT NULL AND kind IN ('amount_discount', 'percentage_discount'));
