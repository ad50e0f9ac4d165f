-- Credit notes take money of an issued invoice back. What they say never changes; one that
-- no longer holds is marked as void. And what moved the balance of a customer.

-- +goose Up

CREATE TABLE credit_notes (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    customer_id text COLLATE "C" NOT NULL,
    invoice_id  text COLLATE "C" NOT NULL,
    number      text COLLATE "C" NOT NULL,
    type        text NOT NULL CHECK (type IN ('adjustment', 'refund')),
    reason      text CHECK (reason IN ('duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory')),
    memo        text,
    currency    text NOT NULL,
    total       numeric NOT NULL CHECK (total > 0),
    adjusted    numeric NOT NULL CHECK (adjusted BETWEEN 0 AND total), -- of that, what the invoice asks for less; the rest went to the balance
    automatic   boolean NOT NULL,       -- a change of the subscription made it
    voided_at   timestamptz,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    CHECK (type = 'adjustment' OR adjusted = 0)
);
CREATE INDEX credit_notes_newest ON credit_notes (account_id, created_at, seq);
CREATE INDEX credit_notes_of_invoice ON credit_notes (account_id, invoice_id, seq);

CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON credit_notes
    FOR EACH ROW EXECUTE FUNCTION keep_credit_note();

CREATE TABLE credit_note_lines (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    credit_note_id  text COLLATE "C" NOT NULL,
    position        integer NOT NULL,
    invoice_line_id text COLLATE "C" NOT NULL,
    item_id         text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    quantity        numeric NOT NULL,
    start_at        timestamptz NOT NULL,
    end_at          timestamptz NOT NULL,
    amount          numeric NOT NULL CHECK (amount > 0),
    -- The whole line was taken back, since what it charged is no longer billed like that.
    -- If it is billed again, it is charged again.
    undone          boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, credit_note_id, position),
    FOREIGN KEY (account_id, credit_note_id) REFERENCES credit_notes (account_id, id),
    FOREIGN KEY (account_id, invoice_line_id) REFERENCES invoice_lines (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    CHECK (end_at >= start_at)
);
CREATE INDEX credit_note_lines_of_invoice_line ON credit_note_lines (account_id, invoice_line_id);

CREATE TRIGGER keep BEFORE INSERT OR UPDATE OR DELETE ON credit_note_lines
    FOR EACH ROW EXECUTE FUNCTION keep_credit_note_line();

-- What moved a customer's balance: the amount they owe or are owed beside their invoices.
-- The balance itself is on the customer.
CREATE TABLE balance_transactions (
    account_id       text COLLATE "C" NOT NULL REFERENCES accounts,
    id               text COLLATE "C" NOT NULL,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL,
    customer_id      text COLLATE "C" NOT NULL,
    invoice_id       text COLLATE "C",
    credit_note_id   text COLLATE "C",
    action           text NOT NULL CHECK (action IN ('applied_to_invoice', 'manual_adjustment', 'prorated_refund',
                         'revert_prorated_refund', 'return_from_voiding', 'credit_note_applied', 'credit_note_voided',
                         'overpayment_refund', 'external_payment', 'small_invoice_carryover')),
    starting_balance numeric NOT NULL,
    ending_balance   numeric NOT NULL,
    description      text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    FOREIGN KEY (account_id, credit_note_id) REFERENCES credit_notes (account_id, id),
    CHECK (ending_balance <> starting_balance)
);
CREATE INDEX balance_transactions_newest ON balance_transactions (account_id, customer_id, created_at, seq);
CREATE INDEX balance_transactions_of_invoice ON balance_transactions (account_id, invoice_id);

CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON balance_transactions
    FOR EACH ROW EXECUTE FUNCTION keep_balance_transaction();

SELECT scope_to_account('credit_notes');
SELECT scope_to_account('credit_note_lines');
SELECT scope_to_account('balance_transactions');
