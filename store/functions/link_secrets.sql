-- The secret of an account's links.

-- make_link_secret gives an account that is made its secret: 32 bytes, of more than 128 random bits.
CREATE OR REPLACE FUNCTION make_link_secret() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO link_secrets (account_id, secret)
        VALUES (NEW.id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
    RETURN NULL;
END
$$;
