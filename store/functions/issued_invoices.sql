-- What was issued never changes: corrections are new documents.

-- An issued invoice never changes but for its marks, and void is final.
CREATE OR REPLACE FUNCTION keep_issued_invoice() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    marks CONSTANT text[] := ARRAY['status', 'metadata', 'paid_at', 'voided_at', 'replaced', 'credited',
        'next_attempt_at', 'payment_reference', 'payment_notes', 'links_withdrawn', 'listed_at']; -- the last is worked out afterwards
BEGIN
    IF OLD.status = 'draft' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' OR NEW.status = 'draft' OR OLD.status = 'void' AND NEW.status <> 'void'
       OR to_jsonb(NEW) - marks <> to_jsonb(OLD) - marks
    THEN
        RAISE EXCEPTION 'invoice % is issued and cannot change', OLD.id;
    END IF;
    RETURN NEW;
END
$$;

-- Lines are written when their invoice is issued, just before it is marked as issued.
CREATE OR REPLACE FUNCTION keep_issued_line() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM invoices i WHERE i.account_id = NEW.account_id AND i.id = NEW.invoice_id AND i.status = 'draft')
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'line item % is issued and cannot change', coalesce(OLD.id, NEW.id);
END
$$;

-- What was put on a draft stays with it once that is issued.
CREATE OR REPLACE FUNCTION keep_added_line() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM invoices i
        WHERE i.account_id = coalesce(NEW.account_id, OLD.account_id) AND i.id = coalesce(NEW.invoice_id, OLD.invoice_id)
          AND i.status <> 'draft')
    THEN
        RAISE EXCEPTION 'line item % is issued and cannot change', coalesce(OLD.id, NEW.id);
    END IF;
    RETURN coalesce(NEW, OLD);
END
$$;

-- A payment attempt does not change.
CREATE OR REPLACE FUNCTION keep_payment_attempt() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'payment attempt % cannot change', OLD.id;
END
$$;
