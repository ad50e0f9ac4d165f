-- Alerts of licenses that have used a share of what they have for themselves.

-- +goose Up

ALTER TABLE alerts ADD license_type_id text COLLATE "C",  -- of the licenses that it looks at
    ADD FOREIGN KEY (account_id, license_type_id) REFERENCES license_types (account_id, id),
    DROP CONSTRAINT alerts_type_check,
    ADD CONSTRAINT alerts_type_check CHECK (type IN ('usage_exceeded', 'cost_exceeded', 'spend_exceeded',
        'credit_balance_depleted', 'credit_balance_dropped', 'credit_balance_recovered', 'license_balance_threshold_reached')),
    ADD CHECK ((type = 'license_balance_threshold_reached') = (license_type_id IS NOT NULL));
CREATE UNIQUE INDEX alerts_of_license ON alerts (account_id, subscription_id, license_type_id)
    WHERE deleted_at IS NULL AND type = 'license_balance_threshold_reached';
