-- A hash chain per account over what is final: issued invoices with their lines, credit notes
-- with theirs, transactions of balances, committed entries of credit ledgers. A document that
-- is changed or deleted afterwards, or a seal, no longer fits the chain.
--
-- Chaining while a document is written would make all who write in an account wait for one
-- another. So a document is only noted then, and sealed soon afterwards. Functions that belong
-- to the owner do both: the server's role can read seals, and change none.

-- +goose Up

CREATE TABLE unsealed_documents (
    account_id  text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of sealing
    kind        text NOT NULL CHECK (kind IN ('invoice', 'credit_note', 'balance_transaction', 'ledger_entry')),
    document_id text COLLATE "C" NOT NULL
);
CREATE INDEX unsealed_documents_of_account ON unsealed_documents (account_id, kind, document_id);
SELECT scope_to_account('unsealed_documents');
REVOKE INSERT, UPDATE, DELETE ON unsealed_documents FROM tollkeeper_app;

CREATE TABLE document_seals (
    account_id  text COLLATE "C" NOT NULL,
    position    bigint NOT NULL CHECK (position > 0), -- in the chain, without holes
    kind        text NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    digest      bytea NOT NULL, -- SHA-256 of what is final of the document; empty: it was gone when it was to be sealed
    chain       bytea NOT NULL, -- SHA-256 of the chain before it, its place and its digest
    sealed_at   timestamptz NOT NULL DEFAULT clock_timestamp(), -- real time
    PRIMARY KEY (account_id, position),
    UNIQUE (account_id, kind, document_id)
);
SELECT scope_to_account('document_seals');
REVOKE INSERT, UPDATE, DELETE ON document_seals FROM tollkeeper_app;

-- The end of each chain, so that one that was cut off is told from one that ends.
CREATE TABLE document_chains (
    account_id text COLLATE "C" PRIMARY KEY,
    position   bigint NOT NULL,
    chain      bytea NOT NULL
);
SELECT scope_to_account('document_chains');
REVOKE INSERT, UPDATE, DELETE ON document_chains FROM tollkeeper_app;

-- What is there is sealed as it is now.
INSERT INTO unsealed_documents (account_id, kind, document_id)
SELECT account_id, kind, id FROM (
    SELECT account_id, 'invoice' AS kind, id, issued_at AS at, seq FROM invoices WHERE status <> 'draft'
    UNION ALL SELECT account_id, 'credit_note', id, created_at, seq FROM credit_notes
    UNION ALL SELECT account_id, 'balance_transaction', id, created_at, seq FROM balance_transactions
    UNION ALL SELECT account_id, 'ledger_entry', id, created_at, seq FROM ledger_entries WHERE status = 'committed'
) AS final ORDER BY at, kind, seq;

CREATE TRIGGER to_seal_new AFTER INSERT ON invoices
    FOR EACH ROW WHEN (NEW.status <> 'draft') EXECUTE FUNCTION note_final_document('invoice');
CREATE TRIGGER to_seal_issued AFTER UPDATE ON invoices
    FOR EACH ROW WHEN (OLD.status = 'draft' AND NEW.status <> 'draft') EXECUTE FUNCTION note_final_document('invoice');
CREATE TRIGGER to_seal AFTER INSERT ON credit_notes
    FOR EACH ROW EXECUTE FUNCTION note_final_document('credit_note');
CREATE TRIGGER to_seal AFTER INSERT ON balance_transactions
    FOR EACH ROW EXECUTE FUNCTION note_final_document('balance_transaction');
CREATE TRIGGER to_seal_new AFTER INSERT ON ledger_entries
    FOR EACH ROW WHEN (NEW.status = 'committed') EXECUTE FUNCTION note_final_document('ledger_entry');
CREATE TRIGGER to_seal_committed AFTER UPDATE ON ledger_entries
    FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'committed') EXECUTE FUNCTION note_final_document('ledger_entry');
