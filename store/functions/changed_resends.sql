-- Events that come again under a known key with another body.

-- note_changed_resends notes those of the events whose key is known and whose body is not that of the
-- event that is stored, nor one that it had before it was amended. Keys of deprecated events are refused
-- anyway. A customer may be named by id once and by alias then. Rows are written in the order of their
-- keys, and expired ones are deleted last, so two recordings cannot deadlock.
CREATE OR REPLACE FUNCTION note_changed_resends(account text, now timestamptz, known_keys text[],
    keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[], OUT noted bigint)
LANGUAGE plpgsql AS $$
DECLARE
    kept CONSTANT interval := '7 days';
BEGIN
    INSERT INTO changed_resends AS r (account_id, idempotency_key, sent_at, times, event_name, subject, "timestamp", properties)
        SELECT account, s.key, now, 1, s.name, s.subject, s.at, s.body
        FROM (SELECT key, name, sent.subject, at, text::jsonb AS body
                FROM unnest(keys, names, subjects, timestamps, note_changed_resends.properties) AS sent (key, name, subject, at, text)
                WHERE key IN (SELECT unnest(known_keys)) OFFSET 0) AS s
            -- OFFSET 0: each is looked up by its key, whatever the planner knows of the tables
            CROSS JOIN LATERAL (SELECT seq FROM event_keys WHERE account_id = account AND idempotency_key = s.key OFFSET 0) AS k
            -- The event nearly always has the timestamp that was sent. Then one month's partition is read: LIMIT ends the search.
            CROSS JOIN LATERAL (SELECT * FROM events WHERE account_id = account AND seq = k.seq AND "timestamp" = s.at
                UNION ALL SELECT * FROM events WHERE account_id = account AND seq = k.seq AND "timestamp" <> s.at LIMIT 1) AS e
        WHERE NOT e.deprecated
            AND (e."timestamp" <> s.at
                OR (e.event_name, e.properties) IS DISTINCT FROM (s.name, s.body) AND NOT EXISTS (
                    SELECT FROM event_corrections AS c
                    WHERE c.account_id = account AND c.idempotency_key = s.key AND c.event_seq = e.seq
                        AND c.event_name = s.name AND c.properties = s.body)
                OR e.subject <> s.subject AND NOT EXISTS (
                    SELECT FROM customers AS u
                    WHERE u.account_id = account AND u.id = substr(least(e.subject, s.subject), 3)
                        AND greatest(e.subject, s.subject) = 'e:' || u.external_customer_id))
        ORDER BY s.key COLLATE "C"
        ON CONFLICT (account_id, idempotency_key) DO UPDATE
            SET seq = DEFAULT, sent_at = excluded.sent_at, times = r.times + 1, event_name = excluded.event_name,
                subject = excluded.subject, "timestamp" = excluded."timestamp", properties = excluded.properties;
    GET DIAGNOSTICS noted = ROW_COUNT;
    IF noted > 0 THEN
        DELETE FROM changed_resends AS r USING (
            SELECT idempotency_key FROM changed_resends WHERE account_id = account AND sent_at < now - kept
            ORDER BY sent_at LIMIT 2 * noted FOR UPDATE SKIP LOCKED) AS expired
            WHERE r.account_id = account AND r.idempotency_key = expired.idempotency_key;
    END IF;
END
$$;

-- record_changed_resends is note_changed_resends as a whole transaction of its own.
CREATE OR REPLACE FUNCTION record_changed_resends(account text, keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[], OUT noted bigint)
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
BEGIN
    noted := note_changed_resends(account, now, keys, keys, names, subjects, timestamps, properties);
END
$$;
