-- Whose rows the views of the schema reporting show.

-- reporting_account returns the account that the login of the session may read; null for others.
-- The login is that of the connection, whatever role it works as.
CREATE OR REPLACE FUNCTION reporting_account() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT account_id FROM reporting_logins WHERE login = session_user;
$$;
REVOKE EXECUTE ON FUNCTION reporting_account() FROM PUBLIC;
