-- Invoices and their line items. A draft is a row without amounts: they are
-- worked out when it is read. Issuing writes them once.

-- +goose Up

CREATE TABLE invoices (
    account_id       text COLLATE "C" NOT NULL REFERENCES accounts,
    id               text COLLATE "C" NOT NULL,
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    created_at       timestamptz NOT NULL,
    customer_id      text COLLATE "C" NOT NULL,
    subscription_id  text COLLATE "C",
    plan_id          text COLLATE "C",
    source           text NOT NULL CHECK (source IN ('subscription', 'partial', 'one_off')),
    status           text NOT NULL CHECK (status IN ('draft', 'issued', 'paid', 'synced', 'void')),
    currency         text NOT NULL,
    invoice_date     timestamptz NOT NULL,
    has_usage        boolean NOT NULL,      -- it waits for the grace period
    metadata         jsonb NOT NULL DEFAULT '{}',
    -- null while draft, fixed from then on
    number           text COLLATE "C",
    issued_at        timestamptz,
    due_at           timestamptz,
    memo             text,
    auto_collection  boolean,
    auto_issued      boolean,
    subtotal         numeric,
    total            numeric,
    amount_due       numeric CHECK (amount_due >= 0),
    -- marks that may still change
    paid_at          timestamptz,
    voided_at        timestamptz,
    -- the order of lists: newest issued first, drafts by their date among them
    listed_at        timestamptz GENERATED ALWAYS AS (coalesce(issued_at, invoice_date)) STORED,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK ((source = 'one_off') = (subscription_id IS NULL)),
    CHECK ((status = 'draft') = (issued_at IS NULL)),
    CHECK (issued_at IS NULL OR num_nulls(number, due_at, auto_collection, auto_issued, subtotal, total, amount_due) = 0),
    CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    CHECK ((status = 'void') = (voided_at IS NOT NULL))
);
-- A period is invoiced once, whoever tries how often.
CREATE UNIQUE INDEX invoices_once ON invoices (account_id, subscription_id, plan_id, invoice_date)
    WHERE source = 'subscription';
CREATE INDEX invoices_newest ON invoices (account_id, listed_at, seq);
CREATE INDEX invoices_of_customer ON invoices (account_id, customer_id, listed_at, seq);
CREATE INDEX invoices_of_subscription ON invoices (account_id, subscription_id, listed_at, seq);
CREATE INDEX invoices_draft ON invoices (account_id, invoice_date, seq) WHERE status = 'draft';

CREATE TABLE invoice_lines (
    account_id               text COLLATE "C" NOT NULL REFERENCES accounts,
    id                       text COLLATE "C" NOT NULL,
    seq                      bigint GENERATED ALWAYS AS IDENTITY,
    created_at               timestamptz NOT NULL,
    invoice_id               text COLLATE "C" NOT NULL,
    position                 integer NOT NULL,
    price_id                 text COLLATE "C" NOT NULL,
    name                     text NOT NULL,
    start_at                 timestamptz NOT NULL,
    end_at                   timestamptz NOT NULL,
    quantity                 numeric NOT NULL,
    subtotal                 numeric NOT NULL,
    adjusted_subtotal        numeric NOT NULL,
    credits_applied          numeric NOT NULL,
    partially_invoiced_amount numeric NOT NULL,
    amount                   numeric NOT NULL,
    parts                    jsonb NOT NULL,   -- the sub-line items
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, invoice_id, position),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id),
    CHECK (end_at >= start_at)
);

-- What was issued never changes: corrections are new documents.
-- +goose StatementBegin
CREATE FUNCTION keep_issued_invoice() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'draft' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' OR NEW.status = 'draft'
       OR (NEW.id, NEW.customer_id, NEW.source, NEW.currency, NEW.invoice_date, NEW.number,
           NEW.issued_at, NEW.due_at, NEW.subtotal, NEW.total, NEW.amount_due)
          IS DISTINCT FROM
          (OLD.id, OLD.customer_id, OLD.source, OLD.currency, OLD.invoice_date, OLD.number,
           OLD.issued_at, OLD.due_at, OLD.subtotal, OLD.total, OLD.amount_due)
       OR (NEW.subscription_id, NEW.plan_id, NEW.memo, NEW.auto_issued, NEW.has_usage)
          IS DISTINCT FROM
          (OLD.subscription_id, OLD.plan_id, OLD.memo, OLD.auto_issued, OLD.has_usage)
    THEN
        RAISE EXCEPTION 'invoice % is issued and cannot change', OLD.id;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep_issued BEFORE UPDATE OR DELETE ON invoices
    FOR EACH ROW EXECUTE FUNCTION keep_issued_invoice();

-- Lines are written when their invoice is issued, just before it bears the mark.
-- +goose StatementBegin
CREATE FUNCTION keep_issued_line() RETURNS trigger
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
-- +goose StatementEnd
CREATE TRIGGER keep_issued BEFORE INSERT OR UPDATE OR DELETE ON invoice_lines
    FOR EACH ROW EXECUTE FUNCTION keep_issued_line();

SELECT scope_to_account('invoices');
SELECT scope_to_account('invoice_lines');
