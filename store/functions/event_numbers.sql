-- Numbers of events, moments and the horizon. Only these functions ask for transactions: what
-- they return has the era added (migration 0020), so it keeps its meaning in a dump.
--
-- An event's seq is a transaction, times 2^20, and its place in that transaction. A moment is a
-- pg_snapshot of such transactions: which events were there. The horizon is a seq that no event
-- to come is below.

-- event_numbering_copied reports that the row was not written by the transaction that it
-- names: then the database was read from a dump. Every row of a table bears its transaction
-- in xmin.
CREATE OR REPLACE FUNCTION event_numbering_copied() RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT xmin <> written_by::xid OR written_by >= pg_snapshot_xmax(pg_current_snapshot()) FROM event_numbering);
END
$$;

-- event_number returns the number that the first event of this transaction comes after. The
-- caller holds ACCESS SHARE on event_key_parts until its end: none gets a number of a former
-- era after the era was raised.
CREATE OR REPLACE FUNCTION event_number() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
    first bigint;
    last bigint;
    ours boolean;
BEGIN
    SELECT pg_current_xact_id()::text::bigint + era, floor, ceiling, xmin = written_by::xid INTO number, first, last, ours FROM event_numbering;
    IF ours IS NOT TRUE OR number < first THEN
        RAISE EXCEPTION 'events cannot be numbered: the database was read from a dump' USING ERRCODE = 'TK001';
    END IF;
    IF number >= last THEN
        PERFORM raise_event_ceiling(number);
    END IF;
    RETURN number << 20;
END
$$;

-- raise_event_ceiling makes room for the numbers of many transactions. Others that need it
-- wait until this transaction has ended.
CREATE OR REPLACE FUNCTION raise_event_ceiling(number bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE event_numbering SET ceiling = number + (1 << 26), written_by = pg_current_xact_id() WHERE ceiling <= number;
    IF (SELECT xmin <> written_by::xid FROM event_numbering) THEN
        RAISE EXCEPTION 'the row of event_numbering must not be written within a savepoint';
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION raise_event_ceiling(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raise_event_ceiling(bigint) TO tollkeeper_app;

-- event_moment returns which events the statement that calls it can see. No event that it sees
-- is at or above the ceiling that it sees, so the moment ends there at the latest.
CREATE OR REPLACE FUNCTION event_moment() RETURNS pg_snapshot
LANGUAGE plpgsql STABLE AS $$
DECLARE
    seen pg_snapshot := pg_current_snapshot();
    oldest bigint := pg_snapshot_xmin(seen)::text::bigint;
    next bigint := pg_snapshot_xmax(seen)::text::bigint;
    numbering record;
BEGIN
    SELECT era, ceiling, xmin = written_by::xid AS ours INTO numbering FROM event_numbering;
    IF numbering.ours IS NOT TRUE THEN
        RAISE EXCEPTION 'no moment of events can be told: the database was read from a dump' USING ERRCODE = 'TK001';
    END IF;
    IF numbering.era = 0 AND next <= numbering.ceiling THEN
        RETURN seen;
    END IF;
    RETURN (least(oldest + numbering.era, numbering.ceiling) || ':' || least(next + numbering.era, numbering.ceiling) || ':' || coalesce((
        SELECT string_agg((running::text::bigint + numbering.era)::text, ',' ORDER BY running) FROM pg_snapshot_xip(seen) AS running
        WHERE running::text::bigint + numbering.era < numbering.ceiling), ''))::pg_snapshot;
END
$$;

-- event_horizon returns the seq of the oldest transaction that is under way.
CREATE OR REPLACE FUNCTION event_horizon() RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    horizon bigint;
    ours boolean;
BEGIN
    SELECT least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + era, ceiling) << 20, xmin = written_by::xid
        INTO horizon, ours FROM event_numbering;
    IF ours IS NOT TRUE THEN
        RAISE EXCEPTION 'no horizon of events can be told: the database was read from a dump' USING ERRCODE = 'TK001';
    END IF;
    RETURN horizon;
END
$$;

-- event_cluster returns the identifier of the cluster, null where the owner may not read it.
CREATE OR REPLACE FUNCTION event_cluster() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT system_identifier FROM pg_control_system());
EXCEPTION WHEN insufficient_privilege THEN
    RETURN NULL;
END
$$;

-- settle_event_numbering raises the era where the database was read from a dump, above all that
-- is stored, unless this cluster counts from more than that anyway. It returns whether the
-- database was. No recording under way keeps a number of the former era: each holds the list
-- of parts, which is locked first.
CREATE OR REPLACE FUNCTION settle_event_numbering() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    here bigint := event_cluster();
    numbering event_numbering;
    oldest bigint;
BEGIN
    IF NOT event_numbering_copied() AND (SELECT coalesce(cluster = here, true) FROM event_numbering) THEN
        RETURN false;
    END IF;
    LOCK TABLE event_key_parts IN ACCESS EXCLUSIVE MODE;
    SELECT * INTO numbering FROM event_numbering FOR UPDATE;
    IF NOT event_numbering_copied() AND coalesce(numbering.cluster = here, true) THEN
        RETURN false; -- another server was first
    END IF;
    oldest := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    IF oldest + numbering.era < numbering.ceiling THEN
        numbering.era := numbering.ceiling - oldest;
    END IF;
    UPDATE event_numbering SET era = numbering.era, floor = numbering.ceiling, written_by = pg_current_xact_id(), cluster = here,
        ceiling = pg_current_xact_id()::text::bigint + numbering.era + (1 << 26);
    IF (SELECT xmin <> written_by::xid FROM event_numbering) THEN
        RAISE EXCEPTION 'the row of event_numbering must not be written within a savepoint';
    END IF;
    RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION settle_event_numbering() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION settle_event_numbering() TO tollkeeper_app;
