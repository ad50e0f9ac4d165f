-- The PDFs that were made of documents, each with its hash.

-- +goose Up

CREATE TABLE document_files (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('invoice', 'credit_note', 'receipt')),
    document_id text COLLATE "C" NOT NULL, -- of the invoice or the credit note; of a receipt, the invoice
    void        boolean NOT NULL,          -- the document is marked as void
    hash        bytea NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the content
    content     bytea NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, kind, document_id, void)
);
ALTER TABLE document_files ALTER COLUMN content SET STORAGE EXTERNAL; -- it is compressed already
SELECT scope_to_account('document_files');
