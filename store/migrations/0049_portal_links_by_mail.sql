-- Mails that lead customers to their portal. The link is not in the row: it is made as the mail is sent.

-- +goose Up

ALTER TABLE mails
    DROP CONSTRAINT mails_kind_check,
    ADD CONSTRAINT mails_kind_check CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'portal_link', 'alert'));
ALTER TABLE mail_templates
    DROP CONSTRAINT mail_templates_kind_check,
    ADD CONSTRAINT mail_templates_kind_check CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'portal_link', 'alert'));
