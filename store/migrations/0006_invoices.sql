-- Invoices. A draft is a row without amounts: they are computed when it is read. Issuing
-- writes them once, and they never change after that.

-- +goose Up

CREATE TABLE invoices (
    -- The customer refers to the account. A reference from here too would lock the row of
    -- the account for each invoice, and all who bill it would wait for one another.
    account_id        text COLLATE "C" NOT NULL,
    id                text COLLATE "C" NOT NULL,
    seq               bigint GENERATED ALWAYS AS IDENTITY,
    created_at        timestamptz NOT NULL,
    customer_id       text COLLATE "C" NOT NULL,
    subscription_id   text COLLATE "C",
    plan_id           text COLLATE "C",
    source            text NOT NULL CHECK (source IN ('subscription', 'partial', 'one_off')),
    of_change         boolean NOT NULL DEFAULT false, -- beside the invoice of that date, for what that one does not have
    status            text NOT NULL CHECK (status IN ('draft', 'issued', 'paid', 'synced', 'void')),
    currency          text NOT NULL,
    invoice_date      timestamptz NOT NULL,
    has_usage         boolean NOT NULL,      -- it waits for the grace period
    auto_issues       boolean,               -- of a one-off invoice: on its date
    net_terms_days    integer CHECK (net_terms_days >= 0), -- null: as the subscription
    custom_due_at     timestamptz,           -- null: net terms after the issue
    date_told         boolean NOT NULL DEFAULT false, -- endpoints were told that its date has come
    metadata          jsonb NOT NULL DEFAULT '{}',
    -- null while draft, fixed from then on
    number            text COLLATE "C",
    issued_at         timestamptz,
    due_at            timestamptz,
    memo              text,
    auto_collection   boolean,
    auto_issued       boolean,
    billing_address   jsonb,                 -- while draft: that of the customer, as the next two
    shipping_address  jsonb,
    tax_id            jsonb,
    subtotal          numeric,
    total             numeric,
    amount_due        numeric CHECK (amount_due >= 0),
    revision          integer,               -- of its subscription, when it was issued; null: of none, or not known
    -- A partial invoice is for usage up to an instant at which more usage comes in. These
    -- are the events that were there, so that it can be computed again from the same ones.
    seen              pg_snapshot,
    -- marks that may still change
    paid_at           timestamptz,
    voided_at         timestamptz,
    replaced          boolean NOT NULL DEFAULT false, -- a change made it wrong: it is void, and another is in its place
    credited          numeric NOT NULL DEFAULT 0, -- what credit notes took off the amount due
    next_attempt_at   timestamptz,           -- when it is charged next; null: not by itself
    payment_reference text,                  -- of a payment that was marked by hand
    payment_notes     text,
    -- the order of lists: newest issued first, drafts by their date among them
    listed_at         timestamptz GENERATED ALWAYS AS (coalesce(issued_at, invoice_date)) STORED,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id),
    CHECK ((source = 'one_off') = (subscription_id IS NULL)),
    CHECK ((status = 'draft') = (issued_at IS NULL)),
    CHECK (issued_at IS NULL OR num_nulls(number, due_at, auto_collection, auto_issued, subtotal, total, amount_due) = 0),
    CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    CHECK ((status = 'void') = (voided_at IS NOT NULL)),
    CHECK (NOT replaced OR status = 'void'),
    CHECK (credited >= 0),
    CHECK (status = 'draft' OR credited <= amount_due),
    CHECK ((source = 'one_off') = (auto_issues IS NOT NULL)),
    CHECK (next_attempt_at IS NULL OR status = 'issued'),
    CHECK (seen IS NULL OR source = 'partial')
) WITH (autovacuum_vacuum_scale_factor = 0.02); -- for the same reason as subscriptions
-- A period is invoiced once, however often that is tried.
CREATE UNIQUE INDEX invoices_once ON invoices (account_id, subscription_id, plan_id, invoice_date)
    WHERE source = 'subscription' AND NOT of_change AND NOT replaced;
CREATE UNIQUE INDEX invoices_of_change_once ON invoices (account_id, subscription_id, plan_id, invoice_date)
    WHERE source = 'subscription' AND of_change AND status = 'draft';
CREATE INDEX invoices_newest ON invoices (account_id, listed_at, seq);
CREATE INDEX invoices_of_customer ON invoices (account_id, customer_id, listed_at, seq);
CREATE INDEX invoices_of_subscription ON invoices (account_id, subscription_id, listed_at, seq);
CREATE INDEX invoices_draft ON invoices (account_id, invoice_date, seq) WHERE status = 'draft';
CREATE INDEX invoices_date_untold ON invoices (account_id, invoice_date) WHERE status = 'draft' AND NOT date_told;
CREATE INDEX invoices_to_collect ON invoices (account_id, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;

CREATE TRIGGER keep_issued BEFORE UPDATE OR DELETE ON invoices
    FOR EACH ROW EXECUTE FUNCTION keep_issued_invoice();

-- A price whose billing cycle is longer than the billing period is used months before the
-- draft that bills it is opened. Credits pay for its days from the first one on. The
-- invoice has its id from then on, so that a day has the same line, and the same entries,
-- before and after the draft is opened.
CREATE TABLE unopened_invoices (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL, -- of the invoice, once its draft is opened
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    plan_id         text COLLATE "C" NOT NULL,
    invoice_date    timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, subscription_id, plan_id, invoice_date),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id),
    FOREIGN KEY (account_id, plan_id) REFERENCES plans (account_id, id)
);
CREATE INDEX unopened_invoices_of_customer ON unopened_invoices (account_id, customer_id);

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

CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON payment_attempts
    FOR EACH ROW EXECUTE FUNCTION keep_payment_attempt();

SELECT scope_to_account('invoices');
SELECT scope_to_account('unopened_invoices');
SELECT scope_to_account('payment_attempts');
