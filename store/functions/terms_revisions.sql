-- Past terms are deleted with the subscription: one of a customer that is deleted before
-- anything was issued. On their own they neither change nor are deleted.
CREATE OR REPLACE FUNCTION keep_past_terms() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM subscriptions WHERE account_id = OLD.account_id AND id = OLD.subscription_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'terms of the past cannot change';
END
$$;
