-- Reports: what is exported of an account, and what its analysts query with SQL. Each report is
-- one query, from which two views are made. exported_<name> is for the server, under row-level
-- security like a table. reporting.<name> is for logins of analysts.

-- +goose Up

-- The logins that may read the views in the schema reporting, each the rows of one account.
-- PostgreSQL knows the session's login, and the login cannot change it, as it could change a
-- setting. The name stays in a dump; the rights of the login do not.
CREATE TABLE reporting_logins (
    login      text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE reporting_logins ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON reporting_logins USING (account_id = current_setting('tollkeeper.account', true));
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON reporting_logins FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();

CREATE SCHEMA reporting;

-- make_report makes the two views of a query. Its columns begin with account_id, at and seq:
-- whose a row is, the instant by which rows are chosen, and the order of rows of one instant.
-- The view of analysts leaves these out.
--
-- It runs with the rights of its owner, whom row-level security does not bind. So a login needs no
-- right to a table, and the condition of the view takes the place of the policy. The barrier keeps
-- functions of a query from seeing rows before the condition has chosen them.
--
-- Migrations call this function, so it does not change.
-- +goose StatementBegin
CREATE FUNCTION make_report(name text, query text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    columns text;
BEGIN
    EXECUTE format('CREATE VIEW %I WITH (security_invoker) AS %s', 'exported_' || name, query);
    EXECUTE format('GRANT SELECT ON %I TO tollkeeper_app', 'exported_' || name);
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
    WHERE attrelid = format('%I', 'exported_' || name)::regclass AND attname NOT IN ('account_id', 'at', 'seq');
    EXECUTE format('CREATE VIEW reporting.%I WITH (security_barrier) AS SELECT %s FROM (%s) AS report WHERE account_id = (SELECT reporting_account())',
        name, columns, query);
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION make_report(text, text) FROM PUBLIC;

SELECT make_report('customers', $$
    SELECT account_id, created_at AS at, seq, id AS customer_id, external_customer_id, name, email, created_at, deleted_at, timezone, currency, balance,
        parent_id AS parent_customer_id, billing_address ->> 'country' AS country, tax_id ->> 'value' AS tax_id, auto_collection, email_delivery, metadata
    FROM customers
$$);

SELECT make_report('subscriptions', $$
    SELECT s.account_id, s.created_at AS at, s.seq, s.id AS subscription_id, s.name, s.customer_id, c.external_customer_id, s.plan_id, p.name AS plan_name,
        p.external_plan_id, s.plan_version, s.currency, s.start_at AS start_date, s.end_at AS end_date, s.created_at, s.metadata
    FROM subscriptions AS s
    JOIN customers AS c ON c.account_id = s.account_id AND c.id = s.customer_id
    JOIN plans AS p ON p.account_id = s.account_id AND p.id = s.plan_id
$$);

-- Drafts are in none of the reports: their amounts are computed when they are read.
SELECT make_report('invoices', $$
    SELECT i.account_id, i.issued_at AS at, i.seq, i.id AS invoice_id, i.number AS invoice_number, i.status, i.customer_id, c.external_customer_id,
        c.name AS customer_name, i.subscription_id, i.plan_id, i.source AS invoice_source, i.currency, i.invoice_date, i.issued_at, i.due_at AS due_date,
        i.subtotal, i.total, i.amount_due - i.credited AS amount_due, i.credited, i.paid_at, i.voided_at, i.memo, i.metadata
    FROM invoices AS i JOIN customers AS c ON c.account_id = i.account_id AND c.id = i.customer_id
    WHERE i.issued_at IS NOT NULL
$$);

SELECT make_report('lines', $$
    SELECT i.account_id, i.issued_at AS at, l.seq, l.id AS line_item_id, l.invoice_id, i.number AS invoice_number, i.status AS invoice_status, i.issued_at,
        i.customer_id, c.external_customer_id, i.subscription_id, i.plan_id, l.position, l.name, l.item_name, l.price_id, l.start_at AS start_date,
        l.end_at AS end_date, i.currency, l.quantity, l.subtotal, l.adjusted_subtotal, l.credits_applied, l.partially_invoiced_amount, l.amount, l.filter
    FROM invoice_lines AS l
    JOIN invoices AS i ON i.account_id = l.account_id AND i.id = l.invoice_id
    JOIN customers AS c ON c.account_id = i.account_id AND c.id = i.customer_id
    WHERE i.issued_at IS NOT NULL
$$);

SELECT make_report('credit_notes', $$
    SELECT n.account_id, n.created_at AS at, n.seq, n.id AS credit_note_id, n.number AS credit_note_number, n.type, n.reason, n.invoice_id,
        i.number AS invoice_number, n.customer_id, c.external_customer_id, n.currency, n.total, n.adjusted AS off_amount_due,
        n.total - n.adjusted AS to_balance, n.created_at, n.voided_at, n.memo
    FROM credit_notes AS n
    JOIN invoices AS i ON i.account_id = n.account_id AND i.id = n.invoice_id
    JOIN customers AS c ON c.account_id = n.account_id AND c.id = n.customer_id
$$);

SELECT make_report('credit_note_lines', $$
    SELECT n.account_id, n.created_at AS at, l.seq, l.id AS credit_note_line_id, l.credit_note_id, n.number AS credit_note_number, n.voided_at,
        l.invoice_line_id AS line_item_id, l.item_id, l.name, l.quantity, l.start_at AS start_date, l.end_at AS end_date, n.currency, l.amount
    FROM credit_note_lines AS l JOIN credit_notes AS n ON n.account_id = l.account_id AND n.id = l.credit_note_id
$$);

SELECT make_report('payments', $$
    SELECT p.account_id, p.created_at AS at, p.seq, p.id AS payment_attempt_id, p.invoice_id, i.number AS invoice_number, i.customer_id, i.currency,
        p.amount, p.succeeded, p.provider, p.provider_id, p.automatic, p.created_at
    FROM payment_attempts AS p JOIN invoices AS i ON i.account_id = p.account_id AND i.id = p.invoice_id
$$);

-- What each customer owes or is owed beside invoices, and has in credits, by unit.
SELECT make_report('balances', $$
    SELECT b.account_id, b.created_at AS at, b.seq, b.customer_id, b.external_customer_id, b.customer_name, b.kind, b.currency, b.balance
    FROM (
        SELECT account_id, created_at, seq, id AS customer_id, external_customer_id, name AS customer_name, 'customer_balance' AS kind, currency, balance
        FROM customers WHERE currency IS NOT NULL
        UNION ALL
        SELECT c.account_id, c.created_at, c.seq, c.id, c.external_customer_id, c.name, 'credits', l.currency, l.balance
        FROM credit_ledgers AS l JOIN customers AS c ON c.account_id = l.account_id AND c.id = l.customer_id) AS b
$$);

SELECT make_report('balance_transactions', $$
    SELECT t.account_id, t.created_at AS at, t.seq, t.id AS balance_transaction_id, t.customer_id, c.external_customer_id, c.currency, t.action,
        t.ending_balance - t.starting_balance AS amount, t.starting_balance, t.ending_balance, t.invoice_id, t.credit_note_id, t.created_at, t.description
    FROM balance_transactions AS t JOIN customers AS c ON c.account_id = t.account_id AND c.id = t.customer_id
$$);

-- The cost basis is what a credit was bought for. cost is that of the credits of the entry.
SELECT make_report('ledger', $$
    SELECT e.account_id, e.created_at AS at, e.seq, e.id AS ledger_entry_id, e.customer_id, c.external_customer_id, e.currency,
        e.sequence AS ledger_sequence_number, e.kind AS entry_type, e.status AS entry_status, e.amount, e.ending_balance - e.starting_balance AS change,
        e.starting_balance, e.ending_balance, b.per_unit_cost_basis::numeric AS per_unit_cost_basis, e.amount * b.per_unit_cost_basis::numeric AS cost,
        e.block_id AS credit_block_id, b.source AS credit_block_source, b.effective_at AS effective_date, b.expires_at AS expiry_date, e.created_at, e.day,
        e.invoice_id, e.price_id, e.description, e.metadata
    FROM ledger_entries AS e
    JOIN credit_blocks AS b ON b.account_id = e.account_id AND b.id = e.block_id
    JOIN customers AS c ON c.account_id = e.account_id AND c.id = e.customer_id
$$);

SELECT make_report('credit_blocks', $$
    SELECT b.account_id, b.created_at AS at, b.seq, b.id AS credit_block_id, b.customer_id, c.external_customer_id, b.currency, b.source, b.status,
        b.initial_balance, b.balance, b.per_unit_cost_basis::numeric AS per_unit_cost_basis, b.balance * b.per_unit_cost_basis::numeric AS cost,
        b.effective_at AS effective_date, b.expires_at AS expiry_date, b.invoice_id, b.created_at, b.metadata
    FROM credit_blocks AS b JOIN customers AS c ON c.account_id = b.account_id AND c.id = b.customer_id
    WHERE b.deleted_at IS NULL
$$);

SELECT make_report('events', $$
    SELECT account_id, "timestamp" AS at, seq, idempotency_key, event_name, CASE WHEN subject LIKE 'c:%' THEN substr(subject, 3) END AS customer_id,
        CASE WHEN subject LIKE 'e:%' THEN substr(subject, 3) END AS external_customer_id, "timestamp", ingested_at, backfill_id, deprecated, properties
    FROM events
$$);
