-- The hash chain of final documents.

-- note_final_document notes a document that is to be sealed. Its kind is the argument.
CREATE OR REPLACE FUNCTION note_final_document() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO unsealed_documents (account_id, kind, document_id) VALUES (NEW.account_id, TG_ARGV[0], NEW.id);
    RETURN NULL;
END
$$;

-- document_final is what is final of a document, as text; null if there is none. It names each
-- column: one that is added later is no part of the text. The caller fixes the settings that the
-- text of a value depends on: to fix them costs more than to read a document.
CREATE OR REPLACE FUNCTION document_final(account text, kind text, id text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    final text;
BEGIN
    CASE document_final.kind
    WHEN 'invoice' THEN
        SELECT ROW (i.id, i.created_at, i.customer_id, i.subscription_id, i.plan_id, i.source, i.of_change, i.currency, i.invoice_date,
                i.number, i.issued_at, i.due_at, i.memo, i.auto_collection, i.auto_issued, i.billing_address, i.shipping_address, i.tax_id,
                i.subtotal, i.total, i.amount_due, i.revision, i.seen)::text
            || coalesce((SELECT string_agg(ROW (l.id, l.position, l.price_id, l.interval_id, l.name, l.item_name, l.start_at, l.end_at,
                l.billed_from, l.usage_customer_ids, l.filter, l.quantity, l.subtotal, l.adjusted_subtotal, l.license_credits, l.credits_applied,
                l.partially_invoiced_amount, l.amount, l.exact, l.fraction, l.prorated, l.groups, l.adjustments, l.conversion, l.parts)::text,
                '' ORDER BY l.position) FROM invoice_lines l WHERE l.account_id = i.account_id AND l.invoice_id = i.id), '')
            INTO final FROM invoices i WHERE i.account_id = account AND i.id = document_final.id AND i.status <> 'draft';
    WHEN 'credit_note' THEN
        SELECT ROW (n.id, n.created_at, n.customer_id, n.invoice_id, n.number, n.type, n.reason, n.memo, n.currency, n.total, n.adjusted, n.automatic)::text
            || coalesce((SELECT string_agg(ROW (l.id, l.position, l.invoice_line_id, l.item_id, l.name, l.quantity, l.start_at, l.end_at, l.amount, l.undone)::text,
                '' ORDER BY l.position) FROM credit_note_lines l WHERE l.account_id = n.account_id AND l.credit_note_id = n.id), '')
            INTO final FROM credit_notes n WHERE n.account_id = account AND n.id = document_final.id;
    WHEN 'balance_transaction' THEN
        SELECT ROW (t.id, t.created_at, t.customer_id, t.invoice_id, t.credit_note_id, t.action, t.starting_balance, t.ending_balance, t.description)::text
            INTO final FROM balance_transactions t WHERE t.account_id = account AND t.id = document_final.id;
    WHEN 'ledger_entry' THEN -- the rest of an entry may still change, see ledger_entries_committed
        SELECT ROW (e.id, e.customer_id, e.currency, e.sequence, e.kind, e.amount, e.block_id, e.day, e.price_id)::text
            INTO final FROM ledger_entries e WHERE e.account_id = account AND e.id = document_final.id AND e.status = 'committed';
    END CASE;
    RETURN final;
END
$$;

-- document_digest is the SHA-256 of what is final of a document; null if there is none.
CREATE OR REPLACE FUNCTION document_digest(account text, kind text, id text) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, MDY' SET bytea_output = 'hex' AS $$
BEGIN
    RETURN sha256(convert_to(document_final(account, kind, id), 'UTF8'));
END
$$;

-- seal_link is the chain with one more seal.
CREATE OR REPLACE FUNCTION seal_link(before bytea, place bigint, kind text, id text, digest bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(before || convert_to(concat_ws(' ', place, kind, id, ''), 'UTF8') || digest);

-- seal_documents seals documents of all accounts that were noted, some at a time, and tells how
-- many. It does nothing while another server is at it. Those of an account are sealed together.
CREATE OR REPLACE FUNCTION seal_documents(atmost integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, MDY' SET bytea_output = 'hex' AS $$
DECLARE
    seqs bigint[]; -- of the noted documents, as the next three
    accounts text[];
    kinds text[];
    ids text[];
    batch record; -- of an account
    place bigint; -- the end of its chain
    link bytea;
    links bytea[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('seal documents', 0)) THEN
        RETURN 0;
    END IF;
    WITH gone AS (DELETE FROM unsealed_documents
        WHERE seq IN (SELECT seq FROM unsealed_documents ORDER BY seq LIMIT atmost) RETURNING *)
    SELECT array_agg(seq), array_agg(account_id), array_agg(kind), array_agg(document_id) INTO seqs, accounts, kinds, ids FROM gone;
    FOR batch IN
        SELECT account_id, array_agg(kind ORDER BY seq) AS kinds, array_agg(document_id ORDER BY seq) AS ids,
            array_agg(coalesce(sha256(convert_to(document_final(account_id, kind, document_id), 'UTF8')), '') ORDER BY seq) AS digests
        FROM (SELECT DISTINCT ON (account_id, kind, document_id) * FROM unnest(seqs, accounts, kinds, ids) AS noted (seq, account_id, kind, document_id)
            ORDER BY account_id, kind, document_id, seq) AS n
        WHERE NOT EXISTS (SELECT FROM document_seals s
            WHERE s.account_id = n.account_id AND s.kind = n.kind AND s.document_id = n.document_id)
        GROUP BY account_id ORDER BY account_id
    LOOP
        INSERT INTO document_chains (account_id, position, chain) VALUES (batch.account_id, 0, '') ON CONFLICT DO NOTHING;
        SELECT c.position, c.chain INTO place, link FROM document_chains c WHERE c.account_id = batch.account_id FOR UPDATE;
        links := '{}';
        FOR k IN 1 .. cardinality(batch.ids) LOOP
            link := seal_link(link, place + k, batch.kinds[k], batch.ids[k], batch.digests[k]);
            links := links || link;
        END LOOP;
        INSERT INTO document_seals (account_id, position, kind, document_id, digest, chain)
            SELECT batch.account_id, place + k, batch.kinds[k], batch.ids[k], batch.digests[k], links[k]
            FROM generate_subscripts(batch.ids, 1) AS k;
        UPDATE document_chains c SET position = place + cardinality(batch.ids), chain = link WHERE c.account_id = batch.account_id;
    END LOOP;
    RETURN coalesce(cardinality(seqs), 0);
END
$$;
REVOKE EXECUTE ON FUNCTION seal_documents(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seal_documents(integer) TO tollkeeper_app;
