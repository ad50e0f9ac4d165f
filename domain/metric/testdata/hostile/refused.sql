## More than one statement
SELECT COUNT(*) FROM events; DROP TABLE events
SELECT COUNT(*) FROM events; DROP SCHEMA public CASCADE
SELECT COUNT(*) FROM events;
SELECT COUNT(*) FROM events;;
;SELECT COUNT(*) FROM events
SELECT COUNT(*) FROM events; SELECT hash FROM api_keys
SELECT COUNT(*) FROM events; UPDATE accounts SET mode = 'live'
SELECT COUNT(*) FROM events; INSERT INTO api_keys SELECT * FROM api_keys
SELECT COUNT(*) FROM events; DELETE FROM event_keys WHERE TRUE
SELECT COUNT(*) FROM events; TRUNCATE customers
SELECT COUNT(*) FROM events; COMMIT
SELECT COUNT(*) FROM events; ROLLBACK; SELECT 1
SELECT COUNT(*) FROM events; BEGIN; SET LOCAL ROLE tollkeeper_app
SELECT COUNT(*) FROM events; SET ROLE NONE
SELECT COUNT(*) FROM events; RESET ROLE
SELECT COUNT(*) FROM events; SET SESSION AUTHORIZATION DEFAULT
SELECT COUNT(*) FROM events; RESET ALL
SELECT COUNT(*) FROM events; DISCARD ALL
SELECT COUNT(*) FROM events; SET statement_timeout = 0
SELECT COUNT(*) FROM events; SET row_security = off
SELECT COUNT(*) FROM events; ALTER TABLE events DISABLE ROW LEVEL SECURITY
SELECT COUNT(*) FROM events; GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC
SELECT COUNT(*) FROM events; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
SELECT COUNT(*) FROM events; COPY api_keys TO PROGRAM 'cat'
SELECT COUNT(*) FROM events; COPY (SELECT * FROM accounts) TO STDOUT
SELECT COUNT(*) FROM events; LISTEN anything
SELECT COUNT(*) FROM events; NOTIFY anything, 'x'
SELECT COUNT(*) FROM events; VACUUM FULL
SELECT COUNT(*) FROM events; LOCK TABLE events IN ACCESS EXCLUSIVE MODE
SELECT COUNT(*) FROM events; PREPARE p AS SELECT 1; EXECUTE p
SELECT COUNT(*) FROM events; DEALLOCATE ALL
SELECT COUNT(*) FROM events; DECLARE c CURSOR FOR SELECT 1
SELECT COUNT(*) FROM events; CHECKPOINT
SELECT COUNT(*) FROM events; LOAD 'auto_explain'
SELECT COUNT(*) FROM events; DO $$ BEGIN PERFORM pg_sleep(10); END $$
SELECT COUNT(*) FROM events WHERE r = 'eu'; DELETE FROM events WHERE 'a' = 'a'
SELECT COUNT(*) FROM events WHERE r = 'eu' ; -- DROP TABLE events
SELECT COUNT(*) FROM (SELECT n FROM events; SELECT n FROM events) t
SELECT SUM(n; n) FROM events

## Statements of another kind
INSERT INTO events VALUES (1)
INSERT INTO events SELECT * FROM events
INSERT INTO events (account_id) VALUES ('acct') RETURNING 1
UPDATE events SET properties = '{}'
UPDATE events SET subject = 'e:other' WHERE TRUE RETURNING COUNT(*)
DELETE FROM events
DELETE FROM events USING accounts
MERGE INTO events USING accounts ON TRUE WHEN MATCHED THEN DELETE
TRUNCATE events
DROP TABLE events
DROP DATABASE tollkeeper
DROP ROLE tollkeeper_app
CREATE TABLE t ()
CREATE TABLE t AS SELECT COUNT(*) FROM events
CREATE TEMP TABLE t (n int)
CREATE VIEW v AS SELECT COUNT(*) FROM events
CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) FROM events
CREATE INDEX ON events (subject)
CREATE EXTENSION dblink
CREATE ROLE root SUPERUSER
CREATE TRIGGER t AFTER INSERT ON events EXECUTE FUNCTION f()
CREATE RULE r AS ON SELECT TO events DO INSTEAD SELECT * FROM accounts
CREATE POLICY p ON events USING (TRUE)
CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw
CREATE PUBLICATION p FOR ALL TABLES
ALTER TABLE events ADD COLUMN n int
ALTER ROLE tollkeeper_metric SUPERUSER
ALTER SYSTEM SET fsync = off
ALTER DATABASE postgres SET default_transaction_read_only = off
GRANT tollkeeper_app TO tollkeeper_metric
REVOKE SELECT ON events FROM tollkeeper_metric
COPY events FROM PROGRAM 'curl http://169.254.169.254/'
COPY events TO '/tmp/events'
EXPLAIN SELECT COUNT(*) FROM events
EXPLAIN ANALYZE SELECT COUNT(*) FROM events
EXPLAIN (ANALYZE, BUFFERS) SELECT COUNT(*) FROM events
ANALYZE events
VACUUM events
REINDEX TABLE events
CLUSTER events
REFRESH MATERIALIZED VIEW v
CALL p()
DO 'BEGIN END'
DO LANGUAGE plpgsql $x$ BEGIN END $x$
VALUES (1)
VALUES (1), (2), (3)
TABLE events
TABLE accounts
SHOW ALL
SHOW server_version
SET ROLE postgres
SET LOCAL statement_timeout = 0
RESET ROLE
BEGIN
START TRANSACTION READ WRITE
COMMIT
ROLLBACK
SAVEPOINT s
ROLLBACK TO SAVEPOINT s
PREPARE TRANSACTION 'x'
LISTEN x
UNLISTEN *
FETCH ALL FROM c
CLOSE ALL
COMMENT ON TABLE events IS 'x'
SECURITY LABEL ON TABLE events IS 'x'
IMPORT FOREIGN SCHEMA public FROM SERVER s INTO public
REASSIGN OWNED BY tollkeeper_app TO postgres
WITH t AS (SELECT COUNT(*) FROM events) SELECT COUNT(*) FROM t
WITH t AS (DELETE FROM events RETURNING 1) SELECT COUNT(*) FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT COUNT(*) FROM t
(SELECT COUNT(*) FROM events)
((SELECT COUNT(*) FROM events))
\copy events to 'x'
\! sh
\d events
.tables
GO
EXEC xp_cmdshell 'dir'
DESCRIBE events
USE tollkeeper
PRAGMA table_info(events)
HANDLER events OPEN

## Other tables
SELECT COUNT(*) FROM accounts
SELECT COUNT(*) FROM api_keys
SELECT COUNT(*) FROM event_keys
SELECT COUNT(*) FROM event_key_parts
SELECT COUNT(*) FROM customers WHERE email IS NOT NULL
SELECT MAX(amount) FROM credit_blocks
SELECT COUNT(*) FROM usage_buckets
SELECT COUNT(*) FROM usage_values
SELECT COUNT(*) FROM goose_db_version
SELECT COUNT(*) FROM events_2025_05
SELECT COUNT(*) FROM events_default
SELECT COUNT(*) FROM public.events
SELECT COUNT(*) FROM "public"."events"
SELECT COUNT(*) FROM "events"
SELECT COUNT(*) FROM 'events'
SELECT COUNT(*) FROM tollkeeper.public.events
SELECT COUNT(*) FROM ONLY events
SELECT COUNT(*) FROM events*
SELECT COUNT(*) FROM events AS OF SYSTEM TIME '-1h'
SELECT COUNT(*) FROM event
SELECT COUNT(*) FROM eventss
SELECT COUNT(*) FROM _events
SELECT COUNT(*) FROM events_
SELECT COUNT(*) FROM pg_catalog.pg_class
SELECT COUNT(*) FROM pg_class
SELECT COUNT(*) FROM pg_shadow
SELECT COUNT(*) FROM pg_authid
SELECT COUNT(*) FROM pg_user
SELECT COUNT(*) FROM pg_roles WHERE rolsuper
SELECT COUNT(*) FROM pg_settings
SELECT COUNT(*) FROM pg_stat_activity
SELECT COUNT(*) FROM pg_stat_statements
SELECT COUNT(*) FROM pg_locks
SELECT COUNT(*) FROM pg_proc
SELECT COUNT(*) FROM pg_tables
SELECT COUNT(*) FROM pg_statistic
SELECT COUNT(*) FROM pg_stats
SELECT COUNT(*) FROM pg_largeobject
SELECT COUNT(*) FROM pg_hba_file_rules
SELECT COUNT(*) FROM pg_file_settings
SELECT COUNT(*) FROM pg_user_mapping
SELECT COUNT(*) FROM pg_subscription
SELECT COUNT(*) FROM information_schema.tables
SELECT COUNT(*) FROM information_schema.columns WHERE table_name = 'api_keys'
SELECT COUNT(*) FROM information_schema.role_table_grants
SELECT COUNT(*) FROM dual
SELECT COUNT(*) FROM sqlite_master
SELECT COUNT(*) FROM mysql.user
SELECT COUNT(*) FROM sys.tables
SELECT COUNT(*) FROM (SELECT 1 FROM accounts) t
SELECT COUNT(*) FROM (SELECT hash FROM api_keys) t
SELECT COUNT(*) FROM (SELECT n FROM (SELECT n FROM pg_class) a) b
SELECT COUNT(*) FROM (TABLE accounts) t
SELECT COUNT(*) FROM (VALUES (1), (2)) t
SELECT COUNT(*) FROM (VALUES (1)) AS t (n)
SELECT COUNT(*) FROM (events) t
SELECT COUNT(*) FROM (accounts)
SELECT COUNT(*) FROM ((SELECT n FROM events)) t
SELECT COUNT(*) FROM LATERAL (SELECT n FROM events) t
SELECT COUNT(*) FROM events, accounts
SELECT COUNT(*) FROM events, (SELECT hash FROM api_keys) k
SELECT COUNT(*) FROM (SELECT n FROM events) a, (SELECT n FROM events) b
SELECT COUNT(*) FROM events e
SELECT COUNT(*) FROM events AS e
SELECT COUNT(*) FROM events e JOIN api_keys k ON TRUE
SELECT COUNT(*) FROM events JOIN accounts ON TRUE
SELECT COUNT(*) FROM events INNER JOIN accounts USING (id)
SELECT COUNT(*) FROM events LEFT JOIN accounts ON TRUE
SELECT COUNT(*) FROM events RIGHT OUTER JOIN accounts ON TRUE
SELECT COUNT(*) FROM events FULL JOIN accounts ON TRUE
SELECT COUNT(*) FROM events CROSS JOIN accounts
SELECT COUNT(*) FROM events NATURAL JOIN accounts
SELECT COUNT(*) FROM events CROSS JOIN LATERAL (SELECT hash FROM api_keys) k
SELECT COUNT(*) FROM (SELECT n FROM events) t JOIN accounts ON TRUE
SELECT COUNT(*) FROM (SELECT n FROM events JOIN accounts ON TRUE) t
SELECT COUNT(*) FROM (SELECT n FROM events, api_keys) t
SELECT COUNT(*) FROM (SELECT n FROM events e) t
SELECT COUNT(*) FROM events TABLESAMPLE SYSTEM (1)
SELECT COUNT(*) FROM (SELECT n FROM events TABLESAMPLE BERNOULLI (1)) t
SELECT COUNT(*) FROM events PARTITION (p0)
SELECT COUNT(*) FROM t
SELECT COUNT(*) FROM self
SELECT COUNT(*) FROM counted
SELECT COUNT(*) FROM fresh
SELECT COUNT(*) FROM sample
SELECT COUNT(*) FROM (SELECT n FROM counted) t

## Set operations, orders, limits and windows
SELECT COUNT(*) FROM events UNION SELECT 1
SELECT COUNT(*) FROM events UNION ALL SELECT hash FROM api_keys
SELECT COUNT(*) FROM events UNION DISTINCT SELECT COUNT(*) FROM events
SELECT COUNT(*) FROM events INTERSECT SELECT 1
SELECT COUNT(*) FROM events EXCEPT SELECT 1
SELECT COUNT(*) FROM events MINUS SELECT 1
SELECT COUNT(*) FROM (SELECT n FROM events UNION SELECT hash FROM api_keys) t
SELECT COUNT(*) FROM (SELECT n FROM events EXCEPT ALL SELECT n FROM events) t
SELECT COUNT(*) FROM (SELECT n FROM events WHERE TRUE UNION ALL SELECT n FROM events) t
SELECT COUNT(*) FROM (SELECT n FROM events) t UNION SELECT id FROM accounts
SELECT COUNT(*) FROM events WHERE TRUE UNION SELECT 1
SELECT COUNT(*) FROM events HAVING TRUE UNION SELECT 1
SELECT COUNT(*) FROM events ORDER BY 1
SELECT COUNT(*) FROM events ORDER BY (SELECT hash FROM api_keys)
SELECT COUNT(*) FROM events LIMIT 1
SELECT COUNT(*) FROM events LIMIT (SELECT COUNT(*) FROM accounts)
SELECT COUNT(*) FROM events OFFSET 1
SELECT COUNT(*) FROM events FETCH FIRST 1 ROWS ONLY
SELECT COUNT(*) FROM (SELECT n FROM events ORDER BY n) t
SELECT COUNT(*) FROM (SELECT n FROM events LIMIT 1000000) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY n ORDER BY n) t
SELECT COUNT(*) FROM events FOR UPDATE
SELECT COUNT(*) FROM events FOR SHARE OF events SKIP LOCKED
SELECT COUNT(*) FROM (SELECT n FROM events FOR UPDATE) t
SELECT COUNT(*) INTO t FROM events
SELECT COUNT(*) FROM events INTO OUTFILE '/tmp/x'
SELECT COUNT(*) FROM events INTO DUMPFILE '/tmp/x'
SELECT SUM(n) OVER () FROM events
SELECT SUM(n) OVER (PARTITION BY u ORDER BY n) FROM events
SELECT SUM(n) OVER w FROM events WINDOW w AS ()
SELECT COUNT(*) FROM events WINDOW w AS (ORDER BY n)
SELECT SUM(n) FILTER (WHERE n > 1) FROM events
SELECT COUNT(*) FILTER (WHERE EXISTS (SELECT 1)) FROM events
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n) FROM events
SELECT SUM(n ORDER BY n) FROM events
SELECT SUM(ALL n) FROM events
SELECT COUNT(DISTINCT ON (n) n) FROM events
SELECT COUNT(DISTINCT n, u) FROM events
SELECT COUNT(DISTINCT *) FROM events
SELECT DISTINCT COUNT(*) FROM events
SELECT ALL COUNT(*) FROM events
SELECT COUNT(*) FROM (SELECT DISTINCT n FROM events) t
SELECT COUNT(*) FROM events GROUP BY n
SELECT COUNT(*) FROM events GROUP BY ()
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY ROLLUP (n)) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY CUBE (n, u)) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY GROUPING SETS ((n), ())) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY ()) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY ALL n) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY 1) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY -1) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY 'n') t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY NULL) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY u) t
SELECT COUNT(*) FROM events HAVING n > 1
SELECT COUNT(*) FROM events WHERE COUNT(*) > 1
SELECT COUNT(*) FROM events QUALIFY ROW_NUMBER() OVER () = 1
SELECT TOP 1 COUNT(*) FROM events
SELECT COUNT(*) FROM events USE INDEX (x)
SELECT COUNT(*) FROM events WITH (NOLOCK)
SELECT COUNT(*) FROM events PROCEDURE ANALYSE()

## Sub-queries where a value stands
SELECT SUM((SELECT 1)) FROM events
SELECT SUM((SELECT COUNT(*) FROM api_keys)) FROM events
SELECT COUNT(*) + (SELECT COUNT(*) FROM accounts) FROM events
SELECT (SELECT COUNT(*) FROM events)
SELECT (SELECT hash FROM api_keys LIMIT 1) FROM events
SELECT COUNT((SELECT n FROM events)) FROM events
SELECT COALESCE(SUM(n), (SELECT MAX(id) FROM accounts)) FROM events
SELECT CASE WHEN (SELECT TRUE) THEN COUNT(*) END FROM events
SELECT CASE WHEN TRUE THEN (SELECT 1) ELSE COUNT(*) END FROM events
SELECT COUNT(*) FROM events WHERE a IN (SELECT hash FROM api_keys)
SELECT COUNT(*) FROM events WHERE a NOT IN (SELECT 1)
SELECT COUNT(*) FROM events WHERE a IN (TABLE accounts)
SELECT COUNT(*) FROM events WHERE a IN (VALUES (1))
SELECT COUNT(*) FROM events WHERE a = (SELECT 1)
SELECT COUNT(*) FROM events WHERE a = ANY (SELECT 1)
SELECT COUNT(*) FROM events WHERE a = ANY ('{1,2}')
SELECT COUNT(*) FROM events WHERE a > ALL (SELECT 1)
SELECT COUNT(*) FROM events WHERE a = SOME (SELECT 1)
SELECT COUNT(*) FROM events WHERE EXISTS (SELECT 1 FROM api_keys)
SELECT COUNT(*) FROM events WHERE NOT EXISTS (SELECT 1)
SELECT COUNT(*) FROM events WHERE (SELECT TRUE)
SELECT COUNT(*) FROM events WHERE (SELECT COUNT(*) FROM accounts WHERE name LIKE 'a%') > 0
SELECT COUNT(*) FROM events WHERE a BETWEEN (SELECT 1) AND 2
SELECT COUNT(*) FROM events WHERE a LIKE (SELECT 'x')
SELECT COUNT(*) FROM events HAVING COUNT(*) > (SELECT 1)
SELECT COUNT(*) FROM (SELECT (SELECT hash FROM api_keys) AS n FROM events) t
SELECT COUNT(*) FROM (SELECT n FROM events GROUP BY (SELECT 1)) t
SELECT PERCENTILE_CONT(n, (SELECT 0.5)) FROM events
SELECT SUM(ARRAY(SELECT n FROM events)) FROM events
SELECT COUNT(ROW(SELECT 1)) FROM events

## Comments
SELECT COUNT(*) FROM events -- all of them
SELECT COUNT(*) FROM events --
SELECT COUNT(*) FROM events--
-- SELECT COUNT(*) FROM events
--
SELECT COUNT(*) FROM events /* all */
SELECT COUNT(*) /**/ FROM events
SELECT/**/COUNT(*)/**/FROM/**/events
SELECT COUNT(*) FROM events /* /* nested */ */
SELECT COUNT(*) FROM events /* open
SELECT COUNT(*) FROM events */
SELECT COUNT(*) FROM events # hash
SELECT COUNT(*) FROM events // slashes
SELECT COUNT(*) FROM /*!50000 accounts*/ events
SELECT COUNT(*) FROM events /*+ SeqScan(events) */
SELECT SUM(n--1) FROM events
SELECT SUM(n /* + */ + 1) FROM events
SELECT COUNT(*) FROM ev/**/ents
SEL/**/ECT COUNT(*) FROM events
SELECT COUNT(*) FROM events WHERE a = 'x' -- ' AND b = 1
SELECT COUNT(*) FROM events WHERE a = 'x' /* ' */
SELECT COUNT(*) FROM events WHERE /* a = 1 OR */ TRUE
SELECT COUNT(*) FROM events <!-- x -->
SELECT COUNT(*) FROM events {- x -}
SELECT COUNT(*) FROM events REM x

## Quotes
SELECT COUNT(*) FROM events WHERE a = 'x
SELECT COUNT(*) FROM events WHERE a = 'x''
SELECT COUNT(*) FROM events WHERE a = ''x'
SELECT COUNT(*) FROM events WHERE a = ''x''
SELECT COUNT(*) FROM events WHERE a = 'x' 'y'
SELECT COUNT(*) FROM events WHERE a = 'x\' OR 1 = 1 --'
SELECT COUNT(*) FROM events WHERE a = "x' OR '1' = '1
SELECT COUNT(*) FROM events WHERE "a = 1
SELECT COUNT(*) FROM events WHERE "a"" = 1
SELECT COUNT(*) FROM events WHERE "" = 1
SELECT COUNT(*) FROM events WHERE a = E'x'
SELECT COUNT(*) FROM events WHERE a = E'\' OR TRUE'
SELECT COUNT(*) FROM events WHERE a = e'\x27'
SELECT COUNT(*) FROM events WHERE a = U&'\0027'
SELECT COUNT(*) FROM events WHERE a = U&'d!0061t' UESCAPE '!'
SELECT COUNT(*) FROM events WHERE U&"d\0061t" = 1
SELECT COUNT(*) FROM events WHERE a = B'1010'
SELECT COUNT(*) FROM events WHERE a = X'1F'
SELECT COUNT(*) FROM events WHERE a = N'x'
SELECT COUNT(*) FROM events WHERE a = Q'[x]'
SELECT COUNT(*) FROM events WHERE a = r'x'
SELECT COUNT(*) FROM events WHERE a = _utf8'x'
SELECT COUNT(*) FROM events WHERE a = $$x$$
SELECT COUNT(*) FROM events WHERE a = $$'; DROP TABLE events; --$$
SELECT COUNT(*) FROM events WHERE a = $tag$x$tag$
SELECT COUNT($$a$$) FROM events
SELECT COUNT(*) FROM events WHERE a = $1
SELECT COUNT(*) FROM events WHERE a = $1::text
SELECT COUNT(*) FROM events WHERE $1
SELECT COUNT(*) FROM events WHERE a = ?
SELECT COUNT(*) FROM events WHERE a = ?::text
SELECT COUNT(*) FROM events WHERE a ?| '{b}'
SELECT COUNT(*) FROM events WHERE a = :a
SELECT COUNT(*) FROM events WHERE a = @a
SELECT COUNT(*) FROM events WHERE a = @@version
SELECT COUNT(*) FROM events WHERE a = %s
SELECT COUNT(*) FROM events WHERE a = %(a)s
SELECT COUNT(*) FROM events WHERE a = #{a}
SELECT COUNT(*) FROM events WHERE a = ${a}
SELECT COUNT(*) FROM events WHERE a = {a}
SELECT COUNT(*) FROM events WHERE a = {{a}
SELECT COUNT(*) FROM events WHERE a = {{}}
SELECT COUNT(*) FROM events WHERE a = {{a b}}
SELECT COUNT(*) FROM events WHERE a = {{'a'}}
SELECT COUNT(*) FROM events WHERE a = {{a}}}
SELECT COUNT(*) FROM {{a}}
SELECT {{a}} FROM events
SELECT COUNT(*) FROM events WHERE a = `x`
SELECT COUNT(*) FROM `events`
SELECT COUNT(*) FROM events WHERE [a] = 1
SELECT COUNT(*) FROM [events]
SELECT 'COUNT(*)' FROM events
SELECT "COUNT"(*) FROM events
SELECT "SUM"(n) FROM events
'SELECT COUNT(*) FROM events'
"SELECT COUNT(*) FROM events"
' OR '1'='1
1' OR '1' = '1
' UNION SELECT hash FROM api_keys --
'; DROP TABLE events; --
') OR ('1'='1
1; SELECT pg_sleep(10)
1 OR 1=1
admin'--

## Casts and types
SELECT SUM(n::int) FROM events
SELECT SUM(n::numeric) FROM events
SELECT SUM('7'::int) FROM events
SELECT SUM(n :: int) FROM events
SELECT COUNT('accounts'::regclass) FROM events
SELECT SUM(CAST('accounts' AS regclass)) FROM events
SELECT SUM(CAST(n AS oid)) FROM events
SELECT SUM(CAST(n AS INTEGER)) FROM events
SELECT SUM(CAST(n AS INT8)) FROM events
SELECT SUM(CAST(n AS NUMERIC)) FROM events
SELECT SUM(CAST(n AS DECIMAL(10, 2))) FROM events
SELECT SUM(CAST(n AS DOUBLE PRECISION)) FROM events
SELECT COUNT(CAST(n AS TEXT)) FROM events
SELECT COUNT(CAST(n AS VARCHAR(10))) FROM events
SELECT COUNT(CAST(n AS jsonb)) FROM events
SELECT COUNT(CAST(n AS xml)) FROM events
SELECT COUNT(CAST(n AS bytea)) FROM events
SELECT COUNT(CAST(n AS VARCHAR[])) FROM events
SELECT COUNT(CAST(n AS public.VARCHAR)) FROM events
SELECT COUNT(CAST(n AS "VARCHAR")) FROM events
SELECT COUNT(CAST(n AS 'VARCHAR')) FROM events
SELECT COUNT(CAST(n AS api_keys)) FROM events
SELECT COUNT(CAST(n AS events)) FROM events
SELECT COUNT(CAST(n VARCHAR)) FROM events
SELECT COUNT(CAST(n, VARCHAR)) FROM events
SELECT COUNT(CAST(AS VARCHAR)) FROM events
SELECT COUNT(CAST(n AS VARCHAR COLLATE "C")) FROM events
SELECT COUNT(CAST(n AS VARCHAR) AT TIME ZONE 'UTC') FROM events
SELECT COUNT(TRY_CAST(n AS VARCHAR)) FROM events
SELECT COUNT(CONVERT(n, CHAR)) FROM events
SELECT COUNT(a COLLATE "C") FROM events
SELECT COUNT(timestamp AT TIME ZONE 'UTC') FROM events
SELECT COUNT(*) FROM events WHERE timestamp > TIMESTAMP '2025-01-01'
SELECT COUNT(*) FROM events WHERE timestamp > DATE '2025-01-01'
SELECT COUNT(*) FROM events WHERE timestamp > now() - INTERVAL '1 day'
SELECT COUNT(*) FROM events WHERE timestamp > CURRENT_TIMESTAMP - 1 || 'x'
SELECT COUNT(INTERVAL '1 day') FROM events
SELECT COUNT(ARRAY[1, 2]) FROM events
SELECT COUNT(a[1]) FROM events
SELECT COUNT((a).b) FROM events
SELECT COUNT((events).account_id) FROM events
SELECT COUNT(events.*) FROM events
SELECT COUNT(ROW(1, 2)) FROM events
SELECT COUNT((1, 2)) FROM events
SELECT COUNT(e.account_id) FROM events
SELECT COUNT(events.seq) FROM events
SELECT COUNT(properties.a.b) FROM events
SELECT COUNT(properties.*) FROM events
SELECT COUNT("properties".a) FROM events
SELECT COUNT(Properties.a) FROM events
SELECT COUNT(*) FROM events WHERE (a, b) = (1, 2)
SELECT COUNT(*) FROM events WHERE (a, b) IN ((1, 2))
SELECT COUNT(properties->>'a') FROM events
SELECT COUNT(properties->'a') FROM events
SELECT COUNT(properties #>> '{a}') FROM events
SELECT COUNT(properties @> '{}') FROM events
SELECT COUNT(a || b) FROM events
SELECT SUM(a ^ 2) FROM events
SELECT SUM(|/ a) FROM events
SELECT SUM(@ a) FROM events
SELECT SUM(a << 2) FROM events
SELECT SUM(a >> 2) FROM events
SELECT SUM(a & b) FROM events
SELECT SUM(a | b) FROM events
SELECT SUM(~a) FROM events
SELECT SUM(+a) FROM events
SELECT SUM(a!) FROM events
SELECT SUM(!a) FROM events
SELECT SUM(a ** 2) FROM events
SELECT SUM(a // 2) FROM events
SELECT SUM(a OPERATOR(pg_catalog.+) b) FROM events
SELECT COUNT(*) FROM events WHERE a ~ 'x'
SELECT COUNT(*) FROM events WHERE a ~* '(a+)+$'
SELECT COUNT(*) FROM events WHERE a !~ 'x'
SELECT COUNT(*) FROM events WHERE a ~~ 'x'
SELECT COUNT(*) FROM events WHERE a SIMILAR TO '(a+)+'
SELECT COUNT(*) FROM events WHERE a ILIKE 'x'
SELECT COUNT(*) FROM events WHERE a RLIKE 'x'
SELECT COUNT(*) FROM events WHERE a REGEXP '(a+)+$'
SELECT COUNT(*) FROM events WHERE a GLOB 'x*'
SELECT COUNT(*) FROM events WHERE a MATCH 'x'
SELECT COUNT(*) FROM events WHERE a @@ 'x'
SELECT COUNT(*) FROM events WHERE a <=> b
SELECT COUNT(*) FROM events WHERE a IS DISTINCT FROM b
SELECT COUNT(*) FROM events WHERE a IS TRUE
SELECT COUNT(*) FROM events WHERE a IS UNKNOWN
SELECT COUNT(*) FROM events WHERE a IS NOT 1
SELECT COUNT(*) FROM events WHERE a ISNULL
SELECT COUNT(*) FROM events WHERE a NOTNULL
SELECT COUNT(*) FROM events WHERE a IS NORMALIZED
SELECT COUNT(*) FROM events WHERE a OVERLAPS b
SELECT COUNT(*) FROM events WHERE a LIKE 'x!%' ESCAPE '!'
SELECT COUNT(*) FROM events WHERE a LIKE b
SELECT COUNT(*) FROM events WHERE a LIKE CONCAT('%', b)
SELECT COUNT(*) FROM events WHERE a LIKE ANY ('x')
SELECT COUNT(*) FROM events WHERE a LIKE 'x\'
SELECT COUNT(*) FROM events WHERE a LIKE 1
SELECT COUNT(*) FROM events WHERE a LIKE NULL
SELECT COUNT(*) FROM events WHERE a BETWEEN SYMMETRIC 2 AND 1
SELECT COUNT(*) FROM events WHERE a BETWEEN 1
SELECT COUNT(*) FROM events WHERE a BETWEEN 1 OR 2
SELECT COUNT(*) FROM events WHERE a IN ()
SELECT COUNT(*) FROM events WHERE a IN 1
SELECT COUNT(*) FROM events WHERE a IN (1,)
SELECT COUNT(*) FROM events WHERE a IN (1 2)
SELECT COUNT(*) FROM events WHERE a IN (1 + 1)
SELECT COUNT(*) FROM events WHERE a IN (b)
SELECT COUNT(*) FROM events WHERE a IN (pg_sleep(1))
SELECT COUNT(*) FROM events WHERE a = 1 = 1
SELECT COUNT(*) FROM events WHERE 1 < a < 3
SELECT COUNT(*) FROM events WHERE (a = 1) = TRUE
SELECT COUNT(*) FROM events WHERE a = 1 AND
SELECT COUNT(*) FROM events WHERE OR a = 1
SELECT COUNT(*) FROM events WHERE a = 1 XOR b = 2
SELECT COUNT(*) FROM events WHERE a = 1 && b = 2
SELECT COUNT(*) FROM events WHERE NOT
SELECT COUNT(*) FROM events WHERE 1
SELECT COUNT(*) FROM events WHERE 'true'
SELECT COUNT(*) FROM events WHERE a + 1
SELECT COUNT(*) FROM events WHERE
SELECT COUNT(*) FROM events WHERE CURRENT OF c
SELECT COUNT(*) FROM events WHERE ctid = '(0,1)' ::tid
SELECT SUM(a = 1) FROM events
SELECT SUM(NOT a) FROM events

## Functions of the database
SELECT SUM(pg_sleep(10)) FROM events
SELECT COUNT(*) FROM events WHERE pg_sleep(10) IS NULL
SELECT COUNT(*) + pg_sleep(10) FROM events
SELECT COUNT(pg_sleep_for('5 minutes')) FROM events
SELECT COUNT(pg_sleep_until('tomorrow')) FROM events
SELECT COUNT(pg_read_file('/etc/passwd')) FROM events
SELECT COUNT(pg_read_binary_file('PG_VERSION')) FROM events
SELECT COUNT(pg_ls_dir('.')) FROM events
SELECT COUNT(pg_ls_waldir()) FROM events
SELECT COUNT(pg_stat_file('PG_VERSION')) FROM events
SELECT COUNT(lo_import('/etc/passwd')) FROM events
SELECT COUNT(lo_export(1, '/tmp/x')) FROM events
SELECT COUNT(lo_get(1)) FROM events
SELECT COUNT(dblink('dbname=postgres', 'SELECT 1')) FROM events
SELECT COUNT(query_to_xml('SELECT * FROM api_keys', true, true, '')) FROM events
SELECT COUNT(table_to_xml('api_keys', true, true, '')) FROM events
SELECT COUNT(database_to_xml(true, true, '')) FROM events
SELECT COUNT(cursor_to_xml('c', 1, true, true, '')) FROM events
SELECT COUNT(xmlparse(document '<x/>')) FROM events
SELECT COUNT(current_setting('tollkeeper.account')) FROM events
SELECT COUNT(set_config('tollkeeper.account', 'other', false)) FROM events
SELECT COUNT(set_config('role', 'postgres', true)) FROM events
SELECT COUNT(pg_terminate_backend(pg_backend_pid())) FROM events
SELECT COUNT(pg_cancel_backend(1)) FROM events
SELECT COUNT(pg_reload_conf()) FROM events
SELECT COUNT(pg_rotate_logfile()) FROM events
SELECT COUNT(pg_advisory_lock(1)) FROM events
SELECT COUNT(pg_advisory_unlock_all()) FROM events
SELECT COUNT(pg_notify('c', 'x')) FROM events
SELECT COUNT(pg_switch_wal()) FROM events
SELECT COUNT(pg_create_restore_point('x')) FROM events
SELECT COUNT(pg_export_snapshot()) FROM events
SELECT COUNT(txid_current()) FROM events
SELECT COUNT(pg_current_xact_id()) FROM events
SELECT COUNT(nextval('events_seq')) FROM events
SELECT COUNT(setval('events_seq', 1)) FROM events
SELECT COUNT(lastval()) FROM events
SELECT COUNT(version()) FROM events
SELECT COUNT(current_user) + current_database() FROM events
SELECT COUNT(inet_server_addr()) FROM events
SELECT COUNT(has_table_privilege('api_keys', 'SELECT')) FROM events
SELECT COUNT(to_regclass('api_keys')) FROM events
SELECT COUNT(pg_get_functiondef(1)) FROM events
SELECT COUNT(pg_get_viewdef('v')) FROM events
SELECT COUNT(pg_relation_size('api_keys')) FROM events
SELECT COUNT(obj_description(1)) FROM events
SELECT COUNT(row_to_json(events)) FROM events
SELECT COUNT(to_jsonb(events)) FROM events
SELECT COUNT(json_agg(events)) FROM events
SELECT COUNT(hstore(events)) FROM events
SELECT COUNT(generate_series(1, 1000000000)) FROM events
SELECT SUM(generate_series(1, n)) FROM events
SELECT COUNT(unnest('{1,2}')) FROM events
SELECT COUNT(regexp_matches(a, '(a+)+$', 'g')) FROM events
SELECT COUNT(regexp_replace(a, '(a+)+$', '')) FROM events
SELECT COUNT(regexp_split_to_table(a, '')) FROM events
SELECT COUNT(string_to_table(a, '')) FROM events
SELECT COUNT(jsonb_each(properties)) FROM events
SELECT COUNT(jsonb_path_query(properties, '$.**')) FROM events
SELECT COUNT(repeat('x', 1000000000)) FROM events
SELECT COUNT(lpad('x', 1000000000)) FROM events
SELECT COUNT(rpad(a, 1000000000, b)) FROM events
SELECT COUNT(format('%1000000000s', a)) FROM events
SELECT COUNT(replace(a, 'x', a)) FROM events
SELECT COUNT(translate(a, 'x', 'y')) FROM events
SELECT COUNT(chr(39)) FROM events
SELECT COUNT(ascii(a)) FROM events
SELECT COUNT(convert_from(decode('27', 'hex'), 'UTF8')) FROM events
SELECT COUNT(encode(a, 'base64')) FROM events
SELECT COUNT(md5(a)) FROM events
SELECT COUNT(sha256(a)) FROM events
SELECT COUNT(crypt(a, gen_salt('bf', 31))) FROM events
SELECT COUNT(gen_random_uuid()) FROM events
SELECT SUM(random()) FROM events
SELECT SUM(power(10, 100000)) FROM events
SELECT SUM(exp(n)) FROM events
SELECT SUM(ln(n)) FROM events
SELECT SUM(sqrt(n)) FROM events
SELECT SUM(factorial(100000)) FROM events
SELECT SUM(mod(n, 0)) FROM events
SELECT SUM(width_bucket(n, 1, 2, 3)) FROM events
SELECT SUM(now()) FROM events
SELECT SUM(clock_timestamp()) FROM events
SELECT SUM(extract(epoch FROM timestamp)) FROM events
SELECT SUM(date_part('epoch', timestamp)) FROM events
SELECT COUNT(date_trunc('day', timestamp)) FROM events
SELECT COUNT(to_char(timestamp, 'YYYY')) FROM events
SELECT COUNT(overlay(a PLACING 'x' FROM 1)) FROM events
SELECT COUNT(position('x' IN a)) FROM events
SELECT COUNT(substring(a FROM 1 FOR 2)) FROM events
SELECT COUNT(SUBSTR(a FROM 1)) FROM events
SELECT COUNT(TRIM(LEADING 'x' FROM a)) FROM events
SELECT COUNT(left(a, 1)) FROM events
SELECT COUNT(string_agg(a, ',')) FROM events
SELECT array_agg(a) FROM events
SELECT jsonb_agg(properties) FROM events
SELECT json_object_agg(a, b) FROM events
SELECT xmlagg(a) FROM events
SELECT bit_and(n) FROM events
SELECT bool_or(a) FROM events
SELECT every(a) FROM events
SELECT stddev(n) FROM events
SELECT variance(n) FROM events
SELECT corr(a, b) FROM events
SELECT mode(n) FROM events
SELECT median(n) FROM events
SELECT percentile_disc(n, 0.5) FROM events
SELECT regr_slope(a, b) FROM events
SELECT rank() FROM events
SELECT row_number() FROM events
SELECT lag(n) FROM events
SELECT first_value(n) FROM events
SELECT grouping(n) FROM events
SELECT COUNT(IF(a, 1, 2)) FROM events
SELECT COUNT(IFNULL(a, 1)) FROM events
SELECT COUNT(NVL(a, 1)) FROM events
SELECT COUNT(BENCHMARK(1000000000, MD5('x'))) FROM events
SELECT COUNT(SLEEP(10)) FROM events
SELECT COUNT(WAITFOR('10')) FROM events
SELECT COUNT(LOAD_FILE('/etc/passwd')) FROM events
SELECT COUNT(UTL_HTTP.REQUEST('http://x')) FROM events
SELECT COUNT(pg_catalog.abs(n)) FROM events
SELECT SUM(public.metric_number(n)) FROM events
SELECT SUM(metric_number(n)) FROM events
SELECT SUM(metric_divide(1, 0)) FROM events
SELECT COUNT(metric_label(a)) FROM events
SELECT COUNT(begin_account('other')) FROM events
SELECT COUNT(move_clock('other', timestamp)) FROM events
SELECT COUNT(record_events()) FROM events
SELECT COUNT(ensure_event_partition('2031-01-01')) FROM events
SELECT COUNT(scope_to_account('events')) FROM events
SELECT SUM("abs"(n)) FROM events
SELECT SUM('abs'(n)) FROM events
SELECT SUM(ABS (n) (n)) FROM events
SELECT SUM(ABS(VARIADIC n)) FROM events
SELECT SUM(ABS(x => n)) FROM events
SELECT SUM(ABS()) FROM events
SELECT SUM(ABS(a, b)) FROM events
SELECT SUM(ABS(*)) FROM events
SELECT COUNT(CONCAT()) FROM events
SELECT COUNT(SUBSTR(a)) FROM events
SELECT COUNT(SUBSTR(a, 1, 2, 3)) FROM events
SELECT COUNT(NULLIF(a)) FROM events
SELECT COUNT(NULLIF(a, b, c)) FROM events
SELECT COUNT(ROUND(a, 1, 2)) FROM events
SELECT COUNT(hour_floor_timestamp_millis()) FROM events
SELECT COUNT(week_floor_timestamp_millis(timestamp_millis)) FROM events

## Names and keywords
SELECT SUM(select) FROM events
SELECT SUM(from) FROM events
SELECT SUM(where) FROM events
SELECT SUM(group) FROM events
SELECT SUM(distinct) FROM events
SELECT SUM(null.a) FROM events
SELECT SUM(case) FROM events
SELECT COUNT(*) AS select FROM events
SELECT COUNT(*) AS FROM events
SELECT COUNT(*) AS 'total' FROM events
SELECT COUNT(*) AS 1 FROM events
SELECT COUNT(*) AS a.b FROM events
SELECT COUNT(*) AS a b FROM events
SELECT COUNT(*) AS (a) FROM events
SELECT COUNT(*) total FROM events
SELECT COUNT(*), SUM(n) FROM events
SELECT COUNT(*), (SELECT 1) FROM events
SELECT COUNT(*), FROM events
SELECT , COUNT(*) FROM events
SELECT FROM events
SELECT * FROM events
SELECT events.* FROM events
SELECT *, COUNT(*) FROM events
SELECT n FROM events
SELECT 1 FROM events
SELECT NULL FROM events
SELECT 'x' FROM events
SELECT 1
SELECT COUNT(*)
SELECT
SELECT SELECT COUNT(*) FROM events
SELECT COUNT(*) FROM FROM events
SELECT COUNT(*) FROM events events
SELECT COUNT(*) FROM events WHERE a WHERE b
SELECT COUNT(*) WHERE a FROM events
SELECT COUNT(*) HAVING TRUE FROM events
SELECT COUNT(*) FROM events HAVING TRUE WHERE TRUE
SELECT COUNT(*) FROM (SELECT n FROM events) WHERE n > 1
SELECT COUNT(*) FROM (SELECT n FROM events)
SELECT COUNT(*) FROM (SELECT n FROM events) t t
SELECT COUNT(*) FROM (SELECT n FROM events) t (n)
SELECT COUNT(*) FROM (SELECT n FROM events) AS select
SELECT COUNT(*) FROM (SELECT n FROM events) t.u
SELECT COUNT(*) FROM (SELECT n, n FROM events) t
SELECT SUM(m) FROM (SELECT n FROM events) t
SELECT SUM(u.n) FROM (SELECT n FROM events) t
SELECT SUM(N) FROM (SELECT n FROM events) t
SELECT SUM(account_id) FROM (SELECT n FROM events) t
SELECT SUM(properties.n) FROM (SELECT n FROM events) t
SELECT SUM(timestamp_millis) FROM (SELECT n FROM events) t
SELECT SUM(c0) FROM (SELECT n FROM events) t
SELECT SUM(t.c0) FROM (SELECT n FROM events) t
SELECT SUM(e.n) FROM (SELECT n FROM events) t
SELECT SUM(slice) FROM (SELECT n FROM events) t
SELECT SUM(seq) FROM (SELECT n FROM events) t
SELECT SUM(SUM(n)) FROM events
SELECT SUM(n) + n FROM events
SELECT MAX(MIN(n)) FROM events
SELECT COUNT(*) FROM (SELECT SUM(n), n FROM events) t
SELECT SUM(*) FROM events
SELECT COUNT() FROM events
SELECT COUNT(**) FROM events
SELECT COUNT(* FROM events
SELECT COUNT*) FROM events
SELECT COUNT FROM events
SELECT LATEST_BY(n) FROM events
SELECT LATEST_BY(n, timestamp, 1) FROM events
SELECT LATEST_BY(DISTINCT n, timestamp) FROM events
SELECT PERCENTILE_CONT(n, 2) FROM events
SELECT PERCENTILE_CONT(n, -0.1) FROM events
SELECT PERCENTILE_CONT(n, m) FROM events
SELECT PERCENTILE_CONT(n, NULL) FROM events
SELECT PERCENTILE_CONT(n, '0.5') FROM events
SELECT PERCENTILE_CONT(n, 0.5 + 0.1) FROM events
SELECT CASE n WHEN 1 THEN COUNT(*) END FROM events
SELECT CASE ELSE COUNT(*) END FROM events
SELECT CASE WHEN TRUE THEN COUNT(*) FROM events
SELECT CASE WHEN COUNT(*) THEN 1 END FROM events
SELECT CASE WHEN TRUE COUNT(*) END FROM events
SELECT CASE END FROM events
SELECT IF COUNT(*) > 1 THEN 1 END IF FROM events

## Numbers
SELECT SUM(1e400000) FROM events
SELECT SUM(n * 1e30) FROM events
SELECT SUM(1e-61) FROM events
SELECT SUM(1e) FROM events
SELECT SUM(1e+) FROM events
SELECT SUM(1.2.3) FROM events
SELECT SUM(1..2) FROM events
SELECT SUM(.) FROM events
SELECT SUM(0x1F) FROM events
SELECT SUM(0b11) FROM events
SELECT SUM(0o17) FROM events
SELECT SUM(1_000) FROM events
SELECT SUM(1,000) FROM events
SELECT SUM(1n) FROM events
SELECT SUM(1e99999999999999999999) FROM events
SELECT SUM(1e-99999999999999999999) FROM events
SELECT SUM(123456789012345678901234567890123456789) FROM events
SELECT SUM(0.123456789012345678901234567890123456789) FROM events
SELECT SUM($1.00) FROM events
SELECT SUM(1 000) FROM events
SELECT SUM(1;000) FROM events
SELECT SUM(99999999999999999999999999999999 * n) FROM events
SELECT SUM(n % ) FROM events
SELECT SUM(n / / n) FROM events
SELECT SUM(n * * n) FROM events
SELECT SUM(n n) FROM events
SELECT SUM(- ) FROM events

## Brackets and marks
SELECT SUM((n) FROM events
SELECT SUM(n)) FROM events
SELECT SUM(n FROM events
SELECT SUM n) FROM events
SELECT SUM[n] FROM events
SELECT SUM{n} FROM events
SELECT (SUM(n) FROM events
SELECT SUM(()) FROM events
SELECT SUM((n,)) FROM events
SELECT COUNT(*) FROM (SELECT n FROM events t
SELECT COUNT(*) FROM SELECT n FROM events) t
SELECT COUNT(*) FROM ((SELECT n FROM events) t)
SELECT COUNT(*) FROM events)
SELECT COUNT(*) FROM (events
SELECT COUNT(*) FROM events ,
SELECT COUNT(*) FROM events .
SELECT COUNT(*) FROM events =
SELECT COUNT(*) FROM events !
SELECT COUNT(*) FROM events \
SELECT COUNT(*) FROM events \g
SELECT COUNT(*) FROM events & whoami
SELECT COUNT(*) FROM events | cat
SELECT COUNT(*) FROM events > /tmp/x
SELECT COUNT(*) FROM events $(id)
SELECT COUNT(*) FROM events `id`
SELECT COUNT(*) FROM events <script>alert(1)</script>
SELECT COUNT(*) FROM events %00
SELECT COUNT(*) FROM events \x00
SELECT COUNT(*) FROM events \u0027
SELECT COUNT(*) FROM events %27%20OR%201=1
SELECT COUNT(*) FROM events &#39;
SELECT%20COUNT(*)%20FROM%20events
SELECT+COUNT(*)+FROM+events
{"$ne": null}
../../etc/passwd
{{7*7}}
${jndi:ldap://x}
hello
*
()
''
""
