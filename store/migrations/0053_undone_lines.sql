-- Lines of issued invoices that charge nothing any more, like those that a credit note
-- marks as undone; but they charged nothing, so no credit note can say so.

-- +goose Up

CREATE TABLE undone_lines (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    invoice_line_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, invoice_line_id),
    FOREIGN KEY (account_id, invoice_line_id) REFERENCES invoice_lines (account_id, id)
);

SELECT scope_to_account('undone_lines');
