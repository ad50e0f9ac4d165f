-- The search over all kinds of records. Row-level security would keep the indexes from being used:
-- lower() is not leakproof, so rows of other accounts would have to be left out before it is asked.

-- search_records returns the records of the transaction's account whose id, name, alias, e-mail
-- address, number or code begins with a text, in any case; at most so many of each kind. With a
-- customer come its subscriptions and its newest invoices. Deleted customers are left out, and
-- prices that belong to one subscription or one invoice.
CREATE OR REPLACE FUNCTION search_records(wanted text, most integer)
    RETURNS TABLE (kind text, record text, title text, detail text, state text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    mine  text := current_setting('tollkeeper.account', true);
    low   text := lower(wanted);
    high  text := lower(wanted) || chr(1114111); -- no text that begins so comes after it
    last  text := wanted || chr(1114111);
    upper_low  text := upper(wanted);
    upper_high text := upper(wanted) || chr(1114111);
    buyers text[];
BEGIN
    SELECT coalesce(array_agg(f.id), '{}') INTO buyers FROM (
        (SELECT c.id FROM customers AS c WHERE c.account_id = mine AND c.deleted_at IS NULL
            AND lower(c.name) COLLATE "C" >= low AND lower(c.name) COLLATE "C" < high ORDER BY lower(c.name) COLLATE "C" LIMIT most)
        UNION (SELECT c.id FROM customers AS c WHERE c.account_id = mine AND c.deleted_at IS NULL
            AND lower(c.email) COLLATE "C" >= low AND lower(c.email) COLLATE "C" < high ORDER BY lower(c.email) COLLATE "C" LIMIT most)
        UNION (SELECT c.id FROM customers AS c WHERE c.account_id = mine AND c.deleted_at IS NULL
            AND lower(c.external_customer_id) COLLATE "C" >= low AND lower(c.external_customer_id) COLLATE "C" < high
            ORDER BY lower(c.external_customer_id) COLLATE "C" LIMIT most)
        UNION (SELECT c.id FROM customers AS c WHERE c.account_id = mine AND c.deleted_at IS NULL
            AND c.id >= wanted AND c.id < last ORDER BY c.id LIMIT most)
    ) AS f;
    RETURN QUERY SELECT 'customer', c.id, c.name, coalesce(c.external_customer_id || ', ', '') || c.email, ''
        FROM customers AS c WHERE c.account_id = mine AND c.id = ANY (buyers) ORDER BY lower(c.name), c.id LIMIT most;
    buyers := (SELECT array_agg(c.id) FROM (SELECT o.id FROM customers AS o WHERE o.account_id = mine AND o.id = ANY (buyers)
        ORDER BY lower(o.name), o.id LIMIT 5) AS c);

    RETURN QUERY SELECT 'subscription', s.id, s.name, c.name, '' FROM (
        SELECT f.id FROM (
            (SELECT o.id, 0 AS rank, o.seq FROM subscriptions AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)
            UNION ALL (SELECT o.id, 1, -o.seq FROM subscriptions AS o WHERE o.account_id = mine AND o.customer_id = ANY (buyers) ORDER BY o.seq DESC LIMIT most)
        ) AS f GROUP BY f.id ORDER BY min(f.rank), min(f.seq) LIMIT most) AS found
        JOIN subscriptions AS s ON s.account_id = mine AND s.id = found.id
        JOIN customers AS c ON c.account_id = mine AND c.id = s.customer_id;

    RETURN QUERY SELECT 'invoice', i.id, coalesce(i.number, ''), c.name, i.status FROM (
        SELECT f.id FROM (
            (SELECT o.id, 0 AS rank, o.seq FROM invoices AS o WHERE o.account_id = mine AND o.number >= upper_low AND o.number < upper_high ORDER BY o.number LIMIT most)
            UNION ALL (SELECT o.id, 0, o.seq FROM invoices AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)
            UNION ALL (SELECT n.id, 1, -n.seq FROM unnest(buyers) AS b (id), LATERAL (
                SELECT o.id, o.seq FROM invoices AS o WHERE o.account_id = mine AND o.customer_id = b.id ORDER BY o.listed_at DESC, o.seq DESC LIMIT 5) AS n)
        ) AS f GROUP BY f.id ORDER BY min(f.rank), min(f.seq) LIMIT most) AS found
        JOIN invoices AS i ON i.account_id = mine AND i.id = found.id
        JOIN customers AS c ON c.account_id = mine AND c.id = i.customer_id;

    RETURN QUERY SELECT 'credit_note', n.id, n.number, c.name, CASE WHEN n.voided_at IS NULL THEN '' ELSE 'void' END FROM (
        (SELECT o.id FROM credit_notes AS o WHERE o.account_id = mine AND o.number >= upper_low AND o.number < upper_high ORDER BY o.number LIMIT most)
        UNION (SELECT o.id FROM credit_notes AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)) AS found
        JOIN credit_notes AS n ON n.account_id = mine AND n.id = found.id
        JOIN customers AS c ON c.account_id = mine AND c.id = n.customer_id
        ORDER BY n.number LIMIT most;

    RETURN QUERY SELECT 'plan', p.id, p.name, coalesce(p.external_plan_id, ''), p.status FROM (
        (SELECT o.id FROM plans AS o WHERE o.account_id = mine
            AND lower(o.name) COLLATE "C" >= low AND lower(o.name) COLLATE "C" < high ORDER BY lower(o.name) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM plans AS o WHERE o.account_id = mine AND o.external_plan_id IS NOT NULL
            AND lower(o.external_plan_id) COLLATE "C" >= low AND lower(o.external_plan_id) COLLATE "C" < high
            ORDER BY lower(o.external_plan_id) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM plans AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)) AS found
        JOIN plans AS p ON p.account_id = mine AND p.id = found.id ORDER BY lower(p.name), p.id LIMIT most;

    RETURN QUERY SELECT 'price', p.id, p.name, coalesce(l.name, p.external_price_id, ''), '' FROM (
        (SELECT o.id FROM prices AS o WHERE o.account_id = mine AND o.subscription_id IS NULL AND o.invoice_id IS NULL
            AND lower(o.name) COLLATE "C" >= low AND lower(o.name) COLLATE "C" < high ORDER BY lower(o.name) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM prices AS o WHERE o.account_id = mine AND o.subscription_id IS NULL AND o.invoice_id IS NULL
            AND lower(o.external_price_id) COLLATE "C" >= low AND lower(o.external_price_id) COLLATE "C" < high
            ORDER BY lower(o.external_price_id) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM prices AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)) AS found
        JOIN prices AS p ON p.account_id = mine AND p.id = found.id
        LEFT JOIN plans AS l ON l.account_id = mine AND l.id = p.plan_id ORDER BY lower(p.name), p.id LIMIT most;

    RETURN QUERY SELECT 'metric', m.id, m.name, coalesce(m.description, ''), m.status FROM (
        (SELECT o.id FROM metrics AS o WHERE o.account_id = mine
            AND lower(o.name) COLLATE "C" >= low AND lower(o.name) COLLATE "C" < high ORDER BY lower(o.name) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM metrics AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)) AS found
        JOIN metrics AS m ON m.account_id = mine AND m.id = found.id ORDER BY lower(m.name), m.id LIMIT most;

    RETURN QUERY SELECT 'coupon', c.id, c.redemption_code, '', CASE WHEN c.archived_at IS NULL THEN 'active' ELSE 'archived' END FROM (
        (SELECT o.id FROM coupons AS o WHERE o.account_id = mine
            AND lower(o.redemption_code) COLLATE "C" >= low AND lower(o.redemption_code) COLLATE "C" < high
            ORDER BY lower(o.redemption_code) COLLATE "C" LIMIT most)
        UNION (SELECT o.id FROM coupons AS o WHERE o.account_id = mine AND o.id >= wanted AND o.id < last ORDER BY o.id LIMIT most)) AS found
        JOIN coupons AS c ON c.account_id = mine AND c.id = found.id ORDER BY lower(c.redemption_code), c.id LIMIT most;

    -- what is known by its id alone
    RETURN QUERY SELECT 'backfill', b.id, b.id, '', b.status FROM backfills AS b
        WHERE b.account_id = mine AND b.id >= wanted AND b.id < last ORDER BY b.id LIMIT most;
    RETURN QUERY SELECT 'alert', a.id, a.id, a.type, '' FROM alerts AS a
        WHERE a.account_id = mine AND a.deleted_at IS NULL AND a.id >= wanted AND a.id < last ORDER BY a.id LIMIT most;
    RETURN QUERY SELECT 'webhook_endpoint', e.id, e.url, '', '' FROM webhook_endpoints AS e
        WHERE e.account_id = mine AND e.id >= wanted AND e.id < last ORDER BY e.id LIMIT most;
END
$$;
REVOKE EXECUTE ON FUNCTION search_records(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_records(text, integer) TO tollkeeper_app;
