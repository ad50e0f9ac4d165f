-- A time zone never changes, nor do a currency and an alias once they are set.
CREATE OR REPLACE FUNCTION customers_fixed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.timezone <> OLD.timezone OR NEW.invoice_prefix <> OLD.invoice_prefix
        OR NEW.currency IS DISTINCT FROM OLD.currency AND OLD.currency IS NOT NULL
        OR NEW.external_customer_id IS DISTINCT FROM OLD.external_customer_id AND OLD.external_customer_id IS NOT NULL
    THEN
        RAISE EXCEPTION 'customer %: what is fixed was changed', OLD.id;
    END IF;
    RETURN NEW;
END
$$;
