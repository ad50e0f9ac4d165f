-- What the server does before it knows the person, or may not see by row-level security.

-- find_session returns the session with that SHA-256, with its person and the role that they
-- have in its account; no row if there is none or it has ended. It marks the use of the
-- session, once a minute. SKIP LOCKED: that never waits.
CREATE OR REPLACE FUNCTION find_session(digest bytea) RETURNS TABLE (session text, person text, email text, name text,
    second_factor boolean, account text, account_role text, began timestamptz, ends timestamptz, is_waiting boolean, is_kept boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    SELECT s.id, p.id, p.email, p.name, p.second_factor_at IS NOT NULL, coalesce(m.account_id, ''), coalesce(m.role, ''),
            s.created_at, s.ends_at, s.waiting, s.kept
        INTO session, person, email, name, second_factor, account, account_role, began, ends, is_waiting, is_kept
        FROM sessions AS s JOIN people AS p ON p.id = s.person_id
        LEFT JOIN memberships AS m ON m.person_id = s.person_id AND m.account_id = s.chosen_account_id
        WHERE s.hash = digest AND s.ends_at > clock_timestamp()
            AND s.last_used_at + s.idle_seconds * interval '1 second' > clock_timestamp();
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE sessions AS s SET last_used_at = clock_timestamp() WHERE s.id = (
        SELECT o.id FROM sessions AS o WHERE o.id = session AND o.last_used_at < clock_timestamp() - interval '1 minute'
        FOR UPDATE SKIP LOCKED);
    UPDATE people AS p SET last_seen_at = clock_timestamp() WHERE p.id = (
        SELECT o.id FROM people AS o WHERE o.id = person AND NOT is_waiting
            AND (o.last_seen_at IS NULL OR o.last_seen_at < clock_timestamp() - interval '1 minute')
        FOR UPDATE SKIP LOCKED);
    RETURN NEXT;
END
$$;

-- find_sign_in returns the person with that address and their password as it is stored, '' for
-- none. No row: there is no such person.
CREATE OR REPLACE FUNCTION find_sign_in(address text) RETURNS TABLE (person text, stored text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT p.id, coalesce(c.password, '') FROM people AS p LEFT JOIN credentials AS c ON c.person_id = p.id WHERE p.email_key = address
$$;

-- find_password_reset returns the person of a link that still works.
CREATE OR REPLACE FUNCTION find_password_reset(digest bytea) RETURNS TABLE (person text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT r.person_id FROM password_resets AS r WHERE r.hash = digest AND r.expires_at > clock_timestamp()
$$;

-- find_invitation returns the account of a link that still works.
CREATE OR REPLACE FUNCTION find_invitation(digest bytea) RETURNS TABLE (invitation text, account text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT i.id, i.account_id FROM invitations AS i
    WHERE i.hash = digest AND i.accepted_at IS NULL AND i.withdrawn_at IS NULL AND i.expires_at > clock_timestamp()
$$;

-- list_person_accounts returns the accounts of the transaction's person, by name.
CREATE OR REPLACE FUNCTION list_person_accounts() RETURNS TABLE (account text, account_name text, account_mode text, account_role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, a.name, a.mode, m.role FROM memberships AS m JOIN accounts AS a ON a.id = m.account_id
    WHERE m.person_id = current_setting('tollkeeper.person', true) ORDER BY a.name, a.seq
$$;

-- member_elsewhere tells whether a person has an account of which another is no owner.
CREATE OR REPLACE FUNCTION member_elsewhere(person text, other text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM memberships AS m WHERE m.person_id = person AND NOT EXISTS (
        SELECT FROM memberships AS o WHERE o.account_id = m.account_id AND o.person_id = other AND o.role = 'owner'))
$$;

-- open_setup keeps a link by which the first person sets the server up. It is false, and nothing
-- is kept, once there is a person.
CREATE OR REPLACE FUNCTION open_setup(digest bytea, seconds integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM setup_links WHERE expires_at <= clock_timestamp();
    IF EXISTS (SELECT FROM people) THEN
        RETURN false;
    END IF;
    INSERT INTO setup_links (hash, expires_at) VALUES (digest, clock_timestamp() + seconds * interval '1 second');
    RETURN true;
END
$$;

-- setup_open tells whether a link for setting the server up works.
CREATE OR REPLACE FUNCTION setup_open(digest bytea) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM setup_links AS l WHERE l.hash = digest AND l.expires_at > clock_timestamp()) AND NOT EXISTS (SELECT FROM people)
$$;

-- use_setup is setup_open, and ends all such links. Of several that come at once one is true:
-- the others wait for it.
CREATE OR REPLACE FUNCTION use_setup(digest bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    LOCK TABLE setup_links IN EXCLUSIVE MODE;
    IF NOT setup_open(digest) THEN
        RETURN false;
    END IF;
    DELETE FROM setup_links;
    RETURN true;
END
$$;

-- attempt_waits is how many seconds an attempt waits for the counts of its keys, 0 for none.
CREATE OR REPLACE FUNCTION attempt_waits(keys text[], moment timestamptz) RETURNS integer
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT coalesce(ceil(extract(epoch FROM max(f.paused_until) - moment))::integer, 0)
    FROM sign_in_failures AS f WHERE f.key = ANY (keys) AND f.paused_until > moment
$$;

-- slow_attempt counts an attempt to sign in as a failure, before it is known to be one, so that attempts
-- at once are all counted. There is a count for each key, with how many may fail before each failure
-- makes the next attempt wait: 1 second, then twice as long each time, up to longest_seconds. At 0 free
-- ones, the count itself makes none wait; where it has reached the crowd, each failure makes the next
-- attempt of the first key wait longest_seconds. It returns how long to wait before an attempt is looked
-- at, 0 for this one to go on, and how long the next one waits after it. The rows are locked by key, so
-- that attempts with several of them in common wait for each other and do not lock each other out.
CREATE OR REPLACE FUNCTION slow_attempt(keys text[], free integer[], crowd integer, longest_seconds integer, kept_seconds integer,
    OUT wait_seconds integer, OUT next_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    kept interval := kept_seconds * interval '1 second';
    moment timestamptz := clock_timestamp();
    crowded boolean;
BEGIN
    next_seconds := 0;
    DELETE FROM sign_in_failures AS f WHERE f.key = ANY (ARRAY(
        SELECT o.key FROM sign_in_failures AS o WHERE o.last_at < moment - 2 * kept AND NOT o.key = ANY (keys)
        ORDER BY o.last_at LIMIT 10 FOR UPDATE SKIP LOCKED));
    wait_seconds := attempt_waits(keys, moment);
    IF wait_seconds > 0 THEN
        RETURN;
    END IF;
    INSERT INTO sign_in_failures AS f (key, failures, last_at) SELECT k.key, 0, moment FROM unnest(keys) AS k (key) ORDER BY k.key COLLATE "C"
        ON CONFLICT (key) DO UPDATE SET failures = CASE WHEN f.last_at < moment - kept THEN 0 ELSE f.failures END;
    moment := clock_timestamp();
    wait_seconds := attempt_waits(keys, moment); -- another one may have been first
    IF wait_seconds > 0 THEN
        RETURN;
    END IF;
    SELECT coalesce(bool_or(f.failures >= crowd), false) INTO crowded
        FROM unnest(keys, free) AS k (key, free) JOIN sign_in_failures AS f ON f.key = k.key WHERE k.free = 0;
    WITH counted AS (
        UPDATE sign_in_failures AS f SET failures = f.failures + 1, last_at = moment, paused_until = CASE
                WHEN k.free = 0 THEN NULL
                WHEN crowded AND k.place = 1 THEN moment + longest_seconds * interval '1 second'
                WHEN f.failures + 1 >= k.free
                    THEN moment + least(longest_seconds, 2 ^ least(f.failures + 1 - k.free, 20)) * interval '1 second'
            END
        FROM unnest(keys, free) WITH ORDINALITY AS k (key, free, place) WHERE f.key = k.key
        RETURNING f.paused_until)
    SELECT coalesce(ceil(extract(epoch FROM max(c.paused_until) - moment)), 0) INTO next_seconds FROM counted AS c;
END
$$;

-- browser_secret_of returns the secret with which the browsers are signed that know a person, and the present time. It is
-- another one once the person has another password: who used one that was stolen is a stranger again.
CREATE OR REPLACE FUNCTION browser_secret_of(person text) RETURNS TABLE (secret bytea, moment timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT sha256(b.secret || convert_to(coalesce((SELECT c.password FROM credentials AS c WHERE c.person_id = person), ''), 'UTF8')), clock_timestamp()
    FROM browser_secret AS b
$$;

-- For servers of the version before: browser_secret_now returns the secret with which known browsers are signed, and the present time.
CREATE OR REPLACE FUNCTION browser_secret_now() RETURNS TABLE (secret bytea, moment timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT b.secret, clock_timestamp() FROM browser_secret AS b
$$;

-- count_sign_in counts a link for a new password that is mailed, and what servers of the version before count:
-- an attempt to sign in, before it is known to fail. There is a count for each key, with the most that
-- are allowed before a pause. It returns how long to wait before another attempt, 0 for this
-- one to go on, and how many are left after it.
CREATE OR REPLACE FUNCTION count_sign_in(keys text[], most integer[], pause_seconds integer, OUT wait_seconds integer, OUT remaining integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    pause interval := pause_seconds * interval '1 second';
    moment timestamptz := clock_timestamp();
    counted integer;
BEGIN
    DELETE FROM sign_in_failures AS f WHERE f.key = ANY (ARRAY(
        SELECT o.key FROM sign_in_failures AS o WHERE o.last_at < moment - 2 * pause AND NOT o.key = ANY (keys)
        ORDER BY o.last_at LIMIT 10 FOR UPDATE SKIP LOCKED));
    SELECT ceil(extract(epoch FROM max(f.paused_until) - moment)) INTO wait_seconds
        FROM sign_in_failures AS f WHERE f.key = ANY (keys) AND f.paused_until > moment;
    remaining := 0;
    IF wait_seconds > 0 THEN
        RETURN;
    END IF;
    wait_seconds := 0;
    FOR i IN 1 .. cardinality(keys) LOOP
        INSERT INTO sign_in_failures AS f (key, failures, last_at, paused_until)
            VALUES (keys[i], 1, moment, CASE WHEN most[i] <= 1 THEN moment + pause END)
        ON CONFLICT (key) DO UPDATE SET last_at = moment,
            failures = CASE WHEN f.paused_until <= moment OR f.last_at < moment - pause THEN 1 ELSE f.failures + 1 END,
            paused_until = CASE WHEN f.paused_until > moment THEN f.paused_until
                WHEN f.paused_until <= moment OR f.last_at < moment - pause THEN CASE WHEN most[i] <= 1 THEN moment + pause END
                WHEN f.failures + 1 >= most[i] THEN moment + pause END
        RETURNING failures INTO counted;
        IF counted > most[i] THEN -- another attempt, which came first, was the last
            wait_seconds := pause_seconds;
        END IF;
        remaining := CASE WHEN i = 1 THEN most[i] - counted ELSE least(remaining, most[i] - counted) END;
    END LOOP;
    remaining := greatest(remaining, 0);
END
$$;

-- forgive_sign_in takes an attempt that succeeded from the counts. The first ones, of which own is
-- the number, are those of a person and begin again. Others share the rest.
CREATE OR REPLACE FUNCTION forgive_sign_in(keys text[], own integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT FROM sign_in_failures WHERE key = ANY (keys) ORDER BY key FOR UPDATE;
    DELETE FROM sign_in_failures WHERE key = ANY (keys[:own]);
    UPDATE sign_in_failures SET failures = greatest(failures - 1, 0), paused_until = NULL WHERE key = ANY (keys[own + 1:])
$$;

-- forget_sessions deletes a few sessions that have ended.
CREATE OR REPLACE FUNCTION forget_sessions() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DELETE FROM sessions WHERE id = ANY (ARRAY(
        SELECT id FROM sessions WHERE ends_at <= clock_timestamp() ORDER BY ends_at LIMIT 100 FOR UPDATE SKIP LOCKED))
$$;

REVOKE EXECUTE ON FUNCTION find_session(bytea), find_sign_in(text), find_password_reset(bytea), find_invitation(bytea), list_person_accounts(),
    member_elsewhere(text, text), open_setup(bytea, integer), setup_open(bytea), use_setup(bytea),
    slow_attempt(text[], integer[], integer, integer, integer), attempt_waits(text[], timestamptz), browser_secret_now(), browser_secret_of(text),
    count_sign_in(text[], integer[], integer), forgive_sign_in(text[], integer), forget_sessions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_session(bytea), find_sign_in(text), find_password_reset(bytea), find_invitation(bytea), list_person_accounts(),
    member_elsewhere(text, text), open_setup(bytea, integer), setup_open(bytea), use_setup(bytea),
    slow_attempt(text[], integer[], integer, integer, integer), attempt_waits(text[], timestamptz), browser_secret_now(), browser_secret_of(text),
    count_sign_in(text[], integer[], integer), forgive_sign_in(text[], integer), forget_sessions() TO tollkeeper_app;
