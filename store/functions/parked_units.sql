-- Parked units of all accounts at once.

-- parked_units_by_kind counts the parked units of each account and kind, and tells when the first of
-- them is to be tried again.
CREATE OR REPLACE FUNCTION parked_units_by_kind() RETURNS TABLE (account_id text, kind text, units bigint, next_try_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT p.account_id, p.kind, count(*), min(p.next_try_at) FROM parked_units p GROUP BY p.account_id, p.kind;
END
$$;
REVOKE EXECUTE ON FUNCTION parked_units_by_kind() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parked_units_by_kind() TO tollkeeper_app;

-- parked_as_of returns the instant as of which a transaction sees units as held up: that of the
-- search that found its unit, if it says so (tollkeeper.parked_as_of), else the present. It is
-- volatile, so that conditions with it are asked row by row.
CREATE OR REPLACE FUNCTION parked_as_of() RETURNS timestamptz
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN coalesce(nullif(current_setting('tollkeeper.parked_as_of', true), '')::timestamptz, clock_timestamp());
END
$$;
