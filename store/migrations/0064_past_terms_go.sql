-- What the terms of a subscription were goes with the subscription: one of a customer that
-- is deleted before anything was issued. On its own nothing of it goes.

-- +goose Up

ALTER TABLE past_terms DROP CONSTRAINT past_terms_account_id_subscription_id_fkey,
    ADD FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_past_terms() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM subscriptions WHERE account_id = OLD.account_id AND id = OLD.subscription_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'terms of the past cannot change';
END
$$;
-- +goose StatementEnd
