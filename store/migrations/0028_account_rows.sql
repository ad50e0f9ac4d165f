-- Accounts and API keys get row-level security, as all other tables have it: the server's role
-- reads and changes the account of its transaction and the keys of that account. It makes no
-- accounts. What needs more is a function (functions/api_keys.sql), or is done by the owner of
-- the database at the command line.

-- +goose Up

ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_own ON accounts FOR SELECT USING (id = current_setting('tollkeeper.account', true));
CREATE POLICY change_own ON accounts FOR UPDATE USING (id = current_setting('tollkeeper.account', true));
CREATE POLICY account ON api_keys USING (account_id = current_setting('tollkeeper.account', true));

-- A server of the version before, which may still run, looks keys up by themselves and reads
-- all accounts. Its connections log in as the owner of the tables, who may RESET ROLE anyway,
-- and do not have the setting that connections of this version have. A migration of a later
-- version drops these policies.
CREATE POLICY version_before ON accounts USING (coalesce(current_setting('tollkeeper.own_rows', true), '') = ''
    AND pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'accounts'::regclass), 'MEMBER'));
CREATE POLICY version_before ON api_keys USING (coalesce(current_setting('tollkeeper.own_rows', true), '') = ''
    AND pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'accounts'::regclass), 'MEMBER'));

-- A server whose login does not own the database tells by these whether it is migrated.
GRANT SELECT ON goose_db_version, applied_functions, role_names TO tollkeeper_app;
