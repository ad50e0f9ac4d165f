-- Records are searched by the beginning of what people know of them (functions/search.sql). The
-- indexes order the bytes of lower-case text, so the beginning of a text is a range of them.

-- +goose Up

CREATE INDEX customers_name_begins ON customers (account_id, (lower(name) COLLATE "C")) WHERE deleted_at IS NULL;
CREATE INDEX customers_email_begins ON customers (account_id, (lower(email) COLLATE "C")) WHERE deleted_at IS NULL;
CREATE INDEX customers_alias_begins ON customers (account_id, (lower(external_customer_id) COLLATE "C")) WHERE deleted_at IS NULL;
CREATE INDEX plans_name_begins ON plans (account_id, (lower(name) COLLATE "C"));
CREATE INDEX plans_alias_begins ON plans (account_id, (lower(external_plan_id) COLLATE "C")) WHERE external_plan_id IS NOT NULL;
CREATE INDEX prices_name_begins ON prices (account_id, (lower(name) COLLATE "C")) WHERE subscription_id IS NULL AND invoice_id IS NULL;
CREATE INDEX prices_alias_begins ON prices (account_id, (lower(external_price_id) COLLATE "C")) WHERE subscription_id IS NULL AND invoice_id IS NULL;
CREATE INDEX metrics_name_begins ON metrics (account_id, (lower(name) COLLATE "C"));
CREATE INDEX coupons_code_begins ON coupons (account_id, (lower(redemption_code) COLLATE "C"));
