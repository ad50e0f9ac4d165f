-- Invoices that are made, changed and paid by request: one-off invoices and lines,
-- what a draft says for itself, and payments.

-- +goose Up

-- The smallest amount is charged in the currency of the invoice.
ALTER TABLE accounts
    ADD payment_gateway    text NOT NULL DEFAULT 'manual' CHECK (payment_gateway IN ('manual', 'test')),
    ADD payment_retry_days text NOT NULL DEFAULT '1,4,9' CHECK (payment_retry_days ~ '^([0-9]{1,3}(,[0-9]{1,3}){0,9})?$'),
    ADD smallest_charge    numeric NOT NULL DEFAULT 0.50 CHECK (smallest_charge >= 0),
    ADD CHECK (payment_gateway <> 'test' OR mode = 'test');

ALTER TABLE invoices
    ADD auto_issues       boolean,      -- of a one-off invoice: on its date
    ADD net_terms_days    integer CHECK (net_terms_days >= 0), -- null: as the subscription
    ADD custom_due_at     timestamptz,  -- null: net terms after the issue
    -- fixed when it is issued; null while draft: those of the customer
    ADD billing_address   jsonb,
    ADD shipping_address  jsonb,
    ADD tax_id            jsonb,
    -- marks that may still change
    ADD next_attempt_at   timestamptz,  -- when it is charged next; null: not by itself
    ADD payment_reference text,         -- of a payment that was marked by hand
    ADD payment_notes     text,
    ADD CHECK ((source = 'one_off') = (auto_issues IS NOT NULL)),
    ADD CHECK (next_attempt_at IS NULL OR status = 'issued');
CREATE INDEX invoices_to_collect ON invoices (account_id, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;

-- A price or a discount may be of one invoice alone.
ALTER TABLE prices
    ADD invoice_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id) ON DELETE CASCADE,
    ADD CHECK (invoice_id IS NULL OR plan_id IS NULL AND subscription_id IS NULL AND type = 'fixed_price');
ALTER TABLE adjustments
    ADD invoice_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id) ON DELETE CASCADE,
    DROP CONSTRAINT adjustments_check,
    ADD CHECK (num_nonnulls(plan_id, subscription_id, invoice_id) = 1);
CREATE INDEX adjustments_of_invoice ON adjustments (account_id, invoice_id) WHERE invoice_id IS NOT NULL;

-- Lines that were put on a draft. When it is issued they become line items of the
-- same ids.
CREATE TABLE added_lines (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    invoice_id text COLLATE "C" NOT NULL,
    price_id   text COLLATE "C" NOT NULL,  -- its own
    start_at   timestamptz NOT NULL,
    end_at     timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id) ON DELETE CASCADE,
    CHECK (end_at >= start_at)
);
CREATE INDEX added_lines_of_invoice ON added_lines (account_id, invoice_id, seq);

CREATE TABLE payment_attempts (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    invoice_id  text COLLATE "C" NOT NULL,
    amount      numeric NOT NULL CHECK (amount > 0),
    provider    text,                     -- null: a gateway that is built in
    provider_id text,                     -- of the payment there
    automatic   boolean NOT NULL,         -- of the schedule, not asked for
    succeeded   boolean NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);
CREATE INDEX payment_attempts_of_invoice ON payment_attempts (account_id, invoice_id, seq);
-- An invoice is paid once.
CREATE UNIQUE INDEX payment_attempts_succeeded ON payment_attempts (account_id, invoice_id) WHERE succeeded;

-- What was issued never changes but for its marks, and void is for good.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_issued_invoice() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    marks CONSTANT text[] := ARRAY['status', 'metadata', 'paid_at', 'voided_at', 'replaced', 'credited',
        'next_attempt_at', 'payment_reference', 'payment_notes', 'listed_at']; -- the last is worked out afterwards
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
-- +goose StatementEnd

-- What was put on a draft stays with it once that is issued.
-- +goose StatementBegin
CREATE FUNCTION keep_added_line() RETURNS trigger
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
-- +goose StatementEnd
CREATE TRIGGER keep_issued BEFORE INSERT OR UPDATE OR DELETE ON added_lines
    FOR EACH ROW EXECUTE FUNCTION keep_added_line();

-- +goose StatementBegin
CREATE FUNCTION keep_payment_attempt() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'payment attempt % cannot change', OLD.id;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON payment_attempts
    FOR EACH ROW EXECUTE FUNCTION keep_payment_attempt();

SELECT scope_to_account('added_lines');
SELECT scope_to_account('payment_attempts');
