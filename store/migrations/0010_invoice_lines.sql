-- Line items of invoices. Those of an issued invoice never change.

-- +goose Up

CREATE TABLE invoice_lines (
    account_id                text COLLATE "C" NOT NULL, -- without a reference, as in invoices
    id                        text COLLATE "C" NOT NULL,
    seq                       bigint GENERATED ALWAYS AS IDENTITY,
    created_at                timestamptz NOT NULL,
    invoice_id                text COLLATE "C" NOT NULL,
    position                  integer NOT NULL,
    price_id                  text COLLATE "C" NOT NULL,
    interval_id               text COLLATE "C",  -- the price interval that it charges; null: none
    name                      text NOT NULL,
    item_name                 text NOT NULL,     -- of the price's item, when the line was issued
    start_at                  timestamptz NOT NULL,
    end_at                    timestamptz NOT NULL,
    -- Several invoices of one billing cycle: a line of usage goes from the start of the
    -- cycle on, and adds the time that no earlier one charged for, which begins here.
    billed_from               timestamptz NOT NULL,
    -- what it counted, as it was when the line was issued
    usage_customer_ids        jsonb NOT NULL DEFAULT '[]',
    filter                    text,
    quantity                  numeric NOT NULL,
    subtotal                  numeric NOT NULL,
    adjusted_subtotal         numeric NOT NULL,
    license_credits           numeric NOT NULL DEFAULT 0, -- of the adjusted subtotal: what licenses paid with credits of their own
    credits_applied           numeric NOT NULL,
    partially_invoiced_amount numeric NOT NULL,
    amount                    numeric NOT NULL,
    -- how it was rated
    exact                     numeric NOT NULL DEFAULT 0,      -- the subtotal before it was rounded
    fraction                  jsonb NOT NULL DEFAULT '{}',     -- that the service is of its billing cycle, in days
    prorated                  boolean NOT NULL DEFAULT false,  -- the exact subtotal is that part of what the rates come to
    groups                    jsonb NOT NULL DEFAULT '[]',     -- the subtotal by the property the invoice shows it by
    adjustments               jsonb NOT NULL DEFAULT '[]',     -- what each did, in order
    conversion                jsonb NOT NULL DEFAULT '[]',     -- how a custom unit became money
    parts                     jsonb NOT NULL,                  -- the sub-line items
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, invoice_id, position),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    FOREIGN KEY (account_id, price_id) REFERENCES prices (account_id, id),
    CHECK (end_at >= start_at),
    CHECK (billed_from BETWEEN start_at AND end_at)
);
CREATE INDEX invoice_lines_of_interval ON invoice_lines (account_id, interval_id, start_at) WHERE interval_id IS NOT NULL;
CREATE INDEX invoice_lines_of_several ON invoice_lines (account_id) WHERE usage_customer_ids <> '[]';

CREATE TRIGGER keep_issued BEFORE INSERT OR UPDATE OR DELETE ON invoice_lines
    FOR EACH ROW EXECUTE FUNCTION keep_issued_line();

-- Lines that were put on a draft. When it is issued they become line items of the same ids.
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

CREATE TRIGGER keep_issued BEFORE INSERT OR UPDATE OR DELETE ON added_lines
    FOR EACH ROW EXECUTE FUNCTION keep_added_line();

-- Lines of issued invoices that charge nothing any more, like those that a credit note marks
-- as undone; but they charged nothing, so no credit note can say so.
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

SELECT scope_to_account('invoice_lines');
SELECT scope_to_account('added_lines');
SELECT scope_to_account('undone_lines');
