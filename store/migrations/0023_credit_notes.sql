-- Credit notes: documents that take money of an issued invoice back. What they
-- say never changes; one that no longer holds bears a mark.

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
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, credit_note_id, position),
    FOREIGN KEY (account_id, credit_note_id) REFERENCES credit_notes (account_id, id),
    FOREIGN KEY (account_id, invoice_line_id) REFERENCES invoice_lines (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id),
    CHECK (end_at >= start_at)
);
CREATE INDEX credit_note_lines_of_invoice_line ON credit_note_lines (account_id, invoice_line_id);

-- What its credit notes took off what an invoice asks for.
ALTER TABLE invoices
    ADD COLUMN credited numeric NOT NULL DEFAULT 0,
    ADD CHECK (credited >= 0),
    ADD CHECK (status = 'draft' OR credited <= amount_due);

ALTER TABLE balance_transactions
    ADD COLUMN credit_note_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, credit_note_id) REFERENCES credit_notes (account_id, id),
    ADD CHECK (action IN ('applied_to_invoice', 'manual_adjustment', 'prorated_refund', 'revert_prorated_refund',
        'return_from_voiding', 'credit_note_applied', 'credit_note_voided', 'overpayment_refund', 'external_payment',
        'small_invoice_carryover'));

-- A credit note is final but for the one mark, and that is for good.
-- +goose StatementBegin
CREATE FUNCTION keep_credit_note() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.voided_at IS NULL
       AND to_jsonb(NEW) - 'voided_at' = to_jsonb(OLD) - 'voided_at'
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'credit note % cannot change', OLD.id;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON credit_notes
    FOR EACH ROW EXECUTE FUNCTION keep_credit_note();

-- Its lines are written with it: until they sum to its total.
-- +goose StatementBegin
CREATE FUNCTION keep_credit_note_line() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    credited numeric;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT coalesce(sum(l.amount), 0) INTO credited FROM credit_note_lines l
        WHERE l.account_id = NEW.account_id AND l.credit_note_id = NEW.credit_note_id;
        IF credited + NEW.amount <= (
            SELECT total FROM credit_notes n WHERE n.account_id = NEW.account_id AND n.id = NEW.credit_note_id)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'line % of a credit note cannot change', coalesce(OLD.id, NEW.id);
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep BEFORE INSERT OR UPDATE OR DELETE ON credit_note_lines
    FOR EACH ROW EXECUTE FUNCTION keep_credit_note_line();

-- What moved a balance is not changed either.
-- +goose StatementBegin
CREATE FUNCTION keep_balance_transaction() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'balance transaction % cannot change', OLD.id;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON balance_transactions
    FOR EACH ROW EXECUTE FUNCTION keep_balance_transaction();

SELECT scope_to_account('credit_notes');
SELECT scope_to_account('credit_note_lines');
