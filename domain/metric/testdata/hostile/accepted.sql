## Inside the language, whatever they look like: each has an answer, of the events alone
SELECT COUNT(*) FROM events WHERE a = ''' OR ''1'' = ''1'
SELECT COUNT(*) FROM events WHERE a = '; DROP TABLE events; --'
SELECT COUNT(*) FROM events WHERE a = '*/ UNION SELECT hash FROM api_keys /*'
SELECT COUNT(*) FROM events WHERE a = '$1' OR a = '?' OR a = '@a' OR a = ':a' OR a = '%s'
SELECT COUNT(*) FROM events WHERE a = '\'
SELECT COUNT(*) FROM events WHERE a = '\'' OR TRUE --'
SELECT COUNT(*) FROM events WHERE a LIKE '\%\_\\'
SELECT COUNT(*) FROM events WHERE a LIKE '%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%x'
SELECT COUNT(*) FROM events WHERE a LIKE '%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_x'
SELECT COUNT(*) FROM events WHERE a = 'U&\0027' AND b = 'E\x27'
SELECT COUNT(*) FROM events WHERE 1 = 1 OR 'a' = 'a'
SELECT COUNT(*) FROM events WHERE "'; DROP TABLE events; --" IS NULL
SELECT COUNT(*) FROM events WHERE """; DROP TABLE events; --""" IS NULL
SELECT COUNT(*) FROM events WHERE "select" = "from" OR "events" = "where"
SELECT COUNT(*) FROM events WHERE "account_id" = 'other' OR "seq" > 0 OR "deprecated"
SELECT COUNT(*) FROM events WHERE account_id IS NOT NULL
SELECT COUNT(*) FROM events WHERE properties.account_id IS NULL AND subject IS NULL
SELECT COUNT(DISTINCT current_user) FROM events
SELECT COUNT(current_timestamp) FROM events
SELECT COUNT(session_user) + COUNT(user) + COUNT(localtime) FROM events
SELECT MAX(ctid) + MAX(xmin) + MAX(tableoid) FROM events
SELECT SUM(pg_sleep) FROM events
SELECT SUM(generate_series) FROM events
SELECT COUNT(api_keys) FROM events
SELECT SUM("pg_sleep(10)") FROM events
SELECT COUNT(*) AS "; DROP TABLE events" FROM events
SELECT COUNT(*) AS "accounts" FROM events
SELECT SUM(accounts.hash) FROM (SELECT n AS hash FROM events) accounts
SELECT SUM(pg_class.relname) FROM (SELECT n AS relname FROM events) AS pg_class
SELECT SUM("e"."c0") FROM (SELECT n AS "c0" FROM events) "e"
SELECT SUM(counted.v0) FROM (SELECT MAX(n) AS v0 FROM events GROUP BY u) counted
SELECT SUM(events.events) FROM (SELECT n AS events FROM events) events
SELECT SUM("select"."from") FROM (SELECT n AS "from" FROM events) "select"
SELECT SUM(properties.n) FROM (SELECT n FROM events) properties
SELECT COUNT(*) FROM (SELECT 1 FROM (SELECT 1 FROM (SELECT 1 FROM events) a) a) a
SELECT COUNT(offset) + COUNT(order) + COUNT(limit) + COUNT(union) FROM events
SELECT SUM(union) FROM (SELECT n AS union FROM events) t WHERE union > 1
SELECT COUNT(DISTINCT timestamp) FROM events WHERE timestamp > 'now' OR timestamp > 'infinity' OR timestamp < '-infinity'
SELECT COUNT(*) FROM events WHERE timestamp BETWEEN '0001-01-01' AND '9999-12-31T23:59:59.999999Z'
SELECT COUNT(*) FROM events WHERE timestamp > '2025-02-30' OR timestamp > '2025-13-01T25:61:61Z'
SELECT SUM(CAST('NaN' AS DOUBLE)) FROM events
SELECT SUM(CAST('Infinity' AS DECIMAL) + CAST('-inf' AS DOUBLE)) FROM events
SELECT SUM(CAST('1e400000' AS DECIMAL)) FROM events
SELECT SUM(CAST('0x1F' AS BIGINT)) FROM events
SELECT SUM(CAST(9223372036854775807 + n AS BIGINT)) FROM events
SELECT SUM(1 / 0) FROM events
SELECT SUM(n / (n - n)) FROM events
SELECT SUM(n % 0) FROM events
SELECT SUM(ROUND(n, -1e29) + ROUND(n, 1e29)) FROM events
SELECT COUNT(SUBSTR(a, -1e29, 1e29)) FROM events
SELECT COUNT(SUBSTR(a, 2147483647, 2147483647)) + COUNT(SUBSTR(a, 1, -1)) FROM events
SELECT SUM(hour_floor_timestamp_millis(-1e29)) FROM events
SELECT SUM(1e29 * 1e29 * 1e29 * 1e29 * 1e29 * 1e29 * 1e29 * 1e29 * n) FROM events
SELECT SUM(1e-60 * 1e-60 * 1e-60 * 1e-60 * 1e-60 * 1e-60 * n) FROM events
SELECT SUM(1e-60 / 1e29 / n) FROM events
SELECT MAX(GREATEST('a', 1, TRUE, NULL, timestamp)) FROM events
SELECT LATEST_BY(a, b) FROM events HAVING EARLIEST_BY(b, a) IS NULL
SELECT COUNT(LOWER(UPPER(LOWER(UPPER(TRIM(CONCAT(a, b, a, b))))))) FROM events
SELECT COUNT(*) FROM events WHERE NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT a = 1
SELECT - - - - - - - - - - COUNT(*) FROM events
SELECT SUM(((((((((((((((((((n))))))))))))))))))) FROM events
SELECT PERCENTILE_CONT(n, 0.00000000000000000000000000000000000001) FROM events
SELECT PERCENTILE_CONT(n, 1e-60) + PERCENTILE_CONT(n, 1.0) + PERCENTILE_CONT(n, 0) FROM events
sElEcT cOuNt(*) fRoM eVeNtS wHeRe TrUe
SELECT COUNT(*)FROM(SELECT(1)FROM events)t
SELECT COUNT(*) FROM events WHERE größe = '大小' AND "😀" IS NULL AND ʼ IS NULL
SELECT COUNT(*) FROM events WHERE ROWNUM = 1 OR a = ʼxʼ
