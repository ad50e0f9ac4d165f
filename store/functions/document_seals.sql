-- The hash chain of final documents.

-- note_final_document notes a document that is to be sealed. Its kind is the argument.
CREATE OR REPLACE FUNCTION note_final_document() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO unsealed_documents (account_id, kind, document_id) VALUES (NEW.account_id, TG_ARGV[0], NEW.id);
    RETURN NULL;
END
$$;

-- document_digest is the SHA-256 of what is final of a document; null if there is none. It
-- names each column: one that is added later is no part of the digest. Settings that the text
-- of a value depends on are fixed.
CREATE OR REPLACE FUNCTION document_digest(account text, kind text, id text) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, MDY' SET bytea_output = 'hex' AS $$
DECLARE
    final text;
BEGIN
    CASE document_digest.kind
    WHEN 'invoice' THEN
        SELECT ROW (i.id, i.created_at, i.customer_id, i.subscription_id, i.plan_id, i.source, i.of_change, i.currency, i.invoice_date,
                i.number, i.issued_at, i.due_at, i.memo, i.auto_collection, i.auto_issued, i.billing_address, i.shipping_address, i.tax_id,
                i.subtotal, i.total, i.amount_due, i.revision, i.seen)::text
            || coalesce((SELECT string_agg(ROW (l.id, l.position, l.price_id, l.interval_id, l.name, l.item_name, l.start_at, l.end_at,
                l.billed_from, l.usage_customer_ids, l.filter, l.quantity, l.subtotal, l.adjusted_subtotal, l.license_credits, l.credits_applied,
                l.partially_invoiced_amount, l.amount, l.exact, l.fraction, l.prorated, l.groups, l.adjustments, l.conversion, l.parts)::text,
                '' ORDER BY l.position) FROM invoice_lines l WHERE l.account_id = i.account_id AND l.invoice_id = i.id), '')
            INTO final FROM invoices i WHERE i.account_id = account AND i.id = document_digest.id AND i.status <> 'draft';
    WHEN 'credit_note' THEN
        SELECT ROW (n.id, n.created_at, n.customer_id, n.invoice_id, n.number, n.type, n.reason, n.memo, n.currency, n.total, n.adjusted, n.automatic)::text
            || coalesce((SELECT string_agg(ROW (l.id, l.position, l.invoice_line_id, l.item_id, l.name, l.quantity, l.start_at, l.end_at, l.amount, l.undone)::text,
                '' ORDER BY l.position) FROM credit_note_lines l WHERE l.account_id = n.account_id AND l.credit_note_id = n.id), '')
            INTO final FROM credit_notes n WHERE n.account_id = account AND n.id = document_digest.id;
    WHEN 'balance_transaction' THEN
        SELECT ROW (t.id, t.created_at, t.customer_id, t.invoice_id, t.credit_note_id, t.action, t.starting_balance, t.ending_balance, t.description)::text
            INTO final FROM balance_transactions t WHERE t.account_id = account AND t.id = document_digest.id;
    WHEN 'ledger_entry' THEN -- the rest of an entry may still change, see ledger_entries_committed
        SELECT ROW (e.id, e.customer_id, e.currency, e.sequence, e.kind, e.amount, e.block_id, e.day, e.price_id)::text
            INTO final FROM ledger_entries e WHERE e.account_id = account AND e.id = document_digest.id AND e.status = 'committed';
    END CASE;
    RETURN sha256(convert_to(final, 'UTF8'));
END
$$;

-- seal_link is the chain with one more seal.
CREATE OR REPLACE FUNCTION seal_link(before bytea, place bigint, kind text, id text, digest bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(before || convert_to(concat_ws(' ', place, kind, id, ''), 'UTF8') || digest);

-- seal_documents seals documents of all accounts that were noted, some at a time, and tells how
-- many. It does nothing while another server is at it.
CREATE OR REPLACE FUNCTION seal_documents(atmost integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    noted record;
    place bigint;
    before bytea;
    final bytea;
    sealed integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('seal documents', 0)) THEN
        RETURN 0;
    END IF;
    FOR noted IN
        WITH gone AS (DELETE FROM unsealed_documents
            WHERE seq IN (SELECT seq FROM unsealed_documents ORDER BY seq LIMIT atmost) RETURNING *)
        SELECT * FROM gone ORDER BY seq
    LOOP
        sealed := sealed + 1;
        CONTINUE WHEN EXISTS (SELECT FROM document_seals s
            WHERE s.account_id = noted.account_id AND s.kind = noted.kind AND s.document_id = noted.document_id);
        INSERT INTO document_chains (account_id, position, chain) VALUES (noted.account_id, 0, '') ON CONFLICT DO NOTHING;
        SELECT c.position + 1, c.chain INTO place, before FROM document_chains c WHERE c.account_id = noted.account_id FOR UPDATE;
        final := coalesce(document_digest(noted.account_id, noted.kind, noted.document_id), '');
        INSERT INTO document_seals (account_id, position, kind, document_id, digest, chain)
            VALUES (noted.account_id, place, noted.kind, noted.document_id, final, seal_link(before, place, noted.kind, noted.document_id, final))
            RETURNING chain INTO before;
        UPDATE document_chains c SET position = place, chain = before WHERE c.account_id = noted.account_id;
    END LOOP;
    RETURN sealed;
END
$$;
REVOKE EXECUTE ON FUNCTION seal_documents(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seal_documents(integer) TO tollkeeper_app;
