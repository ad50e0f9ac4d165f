-- Alerts that customers set in their portal, the mails about them, and texts of mails for each language.

-- +goose Up

-- The customer who set the alert; null: the account did. Those of customers are apart from the account's: they
-- are in no list of it, send no webhook, and do not take the place of one.
ALTER TABLE alerts ADD COLUMN owner_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, owner_id) REFERENCES customers (account_id, id);
CREATE INDEX alerts_of_owner ON alerts (account_id, owner_id, seq) WHERE owner_id IS NOT NULL AND deleted_at IS NULL;

DROP INDEX alerts_of_balance, alerts_of_usage, alerts_of_cost;
CREATE UNIQUE INDEX alerts_of_balance ON alerts (account_id, customer_id, currency, type) WHERE deleted_at IS NULL AND owner_id IS NULL;
CREATE UNIQUE INDEX alerts_of_usage ON alerts (account_id, coalesce(subscription_id, plan_id), coalesce(plan_version, 0), metric_id)
    WHERE deleted_at IS NULL AND owner_id IS NULL AND type = 'usage_exceeded';
CREATE UNIQUE INDEX alerts_of_cost ON alerts (account_id, coalesce(subscription_id, plan_id), coalesce(plan_version, 0), (grouping_keys = '[]'))
    WHERE deleted_at IS NULL AND owner_id IS NULL AND type = 'cost_exceeded';

ALTER TABLE mails
    DROP CONSTRAINT mails_kind_check,
    ADD CONSTRAINT mails_kind_check
        CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'portal_link', 'alert', 'customer_alert'));

ALTER TABLE mail_templates
    DROP CONSTRAINT mail_templates_kind_check,
    ADD CONSTRAINT mail_templates_kind_check
        CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'portal_link', 'alert', 'customer_alert'));

-- What an account says in its mails to customers of one language, in place of its template for all of them. It is
-- a table of its own because servers of the version before know one template of a kind.
CREATE TABLE mail_translations (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'portal_link', 'customer_alert')),
    language   text NOT NULL CHECK (language IN ('en', 'de', 'fr', 'es', 'pt', 'ja')),
    subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 300),
    body       text NOT NULL CHECK (length(body) BETWEEN 1 AND 10000),
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, kind, language)
);
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON mail_translations FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();
SELECT scope_to_account('mail_translations');
