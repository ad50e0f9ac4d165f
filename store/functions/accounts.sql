-- The functions by which every transaction begins.

-- begin_account makes the transaction that of one account and reads that account's clock,
-- once, in whole microseconds. It is plpgsql, which keeps its plans: a function in SQL would
-- plan them again for every transaction.
CREATE OR REPLACE FUNCTION begin_account(account text) RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('tollkeeper.account', account, true);
    RETURN (SELECT coalesce(clock_now, clock_timestamp()) FROM accounts WHERE id = account);
END
$$;

-- begin_due is begin_account for work that fell due at an instant: a clock that is set by hand
-- is put forward to it. A real clock, and one that is further already, stay as they are. It
-- returns the instant, or null where there is no such account. It writes a clock only where it
-- is to be put forward.
CREATE OR REPLACE FUNCTION begin_due(account text, instant timestamptz) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz; -- null: a real one
BEGIN
    PERFORM set_config('tollkeeper.account', account, true);
    SELECT clock_now INTO clock FROM accounts WHERE id = account;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF clock < instant THEN
        UPDATE accounts SET clock_now = instant WHERE id = account AND clock_now < instant;
    END IF;
    RETURN instant;
END
$$;
