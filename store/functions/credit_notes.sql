-- What credit notes say, and what moved balances, never changes.

-- A credit note is final but for the mark that it is void, and that mark is final.
CREATE OR REPLACE FUNCTION keep_credit_note() RETURNS trigger
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

-- The lines of a credit note are written with it, until they sum to its total.
CREATE OR REPLACE FUNCTION keep_credit_note_line() RETURNS trigger
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

-- What moved a balance does not change.
CREATE OR REPLACE FUNCTION keep_balance_transaction() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'balance transaction % cannot change', OLD.id;
END
$$;
