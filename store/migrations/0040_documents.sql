-- What documents say about the seller and the buyer, as of their issue, and the secret by which
-- the addresses of documents cannot be guessed.

-- +goose Up

-- A letterhead is what the documents of an account say about it. A row never changes: a change
-- makes another one, and documents name the row that they were issued with.
CREATE TABLE letterheads (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    content    jsonb NOT NULL,
    logo       bytea NOT NULL CHECK (length(logo) <= 262144), -- empty: none
    logo_type  text NOT NULL CHECK (logo_type IN ('', 'image/png', 'image/jpeg')),
    PRIMARY KEY (account_id, id),
    CHECK ((length(logo) = 0) = (logo_type = ''))
);
CREATE INDEX letterheads_newest ON letterheads (account_id, seq);
SELECT scope_to_account('letterheads');
REVOKE UPDATE, DELETE ON letterheads FROM tollkeeper_app;
CREATE TRIGGER audit AFTER INSERT ON letterheads FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('logo');

-- The language of a customer's documents; null: that of the letterhead.
ALTER TABLE customers ADD COLUMN language text CHECK (language IN ('en', 'de', 'fr', 'es', 'pt', 'ja'));

-- What a document says beside its amounts. Null: a draft, or issued before this migration; then it
-- is read from the present records.
ALTER TABLE invoices ADD COLUMN particulars jsonb;
ALTER TABLE credit_notes ADD COLUMN particulars jsonb;

-- The secret that addresses are made with. The address shows nothing that is not in this database,
-- so the secret need not be kept from who reads it. It is apart from accounts, whose rows are shown.
CREATE TABLE link_secrets (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    secret     bytea NOT NULL CHECK (length(secret) = 32)
);
SELECT scope_to_account('link_secrets');
REVOKE UPDATE, DELETE ON link_secrets FROM tollkeeper_app;
INSERT INTO link_secrets (account_id, secret)
    SELECT id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) FROM accounts;
CREATE TRIGGER link_secret AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION make_link_secret();
