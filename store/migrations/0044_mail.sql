-- Mail to the customers of an account, and to its own people about alerts. A mail is written in
-- the transaction of its cause, as webhook messages are, with the text that is sent. It is tried
-- by real time, also under a clock that is set by hand.

-- +goose Up

ALTER TABLE accounts
    ADD COLUMN mail_from     text,                                                     -- whose mails they are; null: none is sent
    ADD COLUMN mail_in_test  boolean NOT NULL DEFAULT false,                           -- a test account sends, too
    ADD COLUMN mail_log_days integer NOT NULL DEFAULT 90 CHECK (mail_log_days > 0),
    ADD COLUMN reminder_days text NOT NULL DEFAULT '' CHECK (reminder_days ~ '^(-?[0-9]{1,3}(,-?[0-9]{1,3}){0,9})?$'), -- after the due date, before it if negative
    ADD COLUMN alert_emails  text NOT NULL DEFAULT '';                                 -- who is told of alerts

CREATE TABLE mails (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'alert')),
    customer_id     text COLLATE "C",
    invoice_id      text COLLATE "C",
    occasion        text COLLATE "C" NOT NULL, -- the cause: each recipient gets one mail of it
    recipient       text NOT NULL,
    sender          text NOT NULL,
    subject         text NOT NULL,
    text_body       text NOT NULL,
    html_body       text NOT NULL,
    -- held: of a test account that may send none. uncertain: the attempt was cut off where the
    -- mail server may have taken the mail, so it is not sent again by itself.
    status          text NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'held', 'uncertain')),
    attempts        jsonb NOT NULL DEFAULT '[]', -- oldest first
    tries           integer NOT NULL DEFAULT 0,  -- since it was queued or sent again by hand
    next_attempt_at timestamptz DEFAULT clock_timestamp() CHECK ((next_attempt_at IS NULL) = (status <> 'pending')), -- real time
    claimed_until   timestamptz, -- real time: a server is at it, unless it died
    recorded_at     timestamptz NOT NULL DEFAULT clock_timestamp(), -- real time
    PRIMARY KEY (account_id, id),
    CONSTRAINT mails_once UNIQUE (account_id, occasion, recipient),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers,
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX mails_due ON mails (account_id, next_attempt_at, seq) WHERE status = 'pending';
CREATE INDEX mails_newest ON mails (account_id, created_at, seq);
CREATE INDEX mails_age ON mails (account_id, recorded_at);
CREATE INDEX mails_of_customer ON mails (account_id, customer_id);
CREATE INDEX mails_of_invoice ON mails (account_id, invoice_id);
SELECT scope_to_account('mails');

-- Reminders that are still to come, of invoices that were issued while the account had reminders.
CREATE TABLE mail_reminders (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    invoice_id      text COLLATE "C" NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C",
    days            integer NOT NULL, -- after the due date, before it if negative
    at              timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, invoice_id, days),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices
);
CREATE INDEX mail_reminders_due ON mail_reminders (account_id, at, seq);
SELECT scope_to_account('mail_reminders');

-- What an account says in its mails in place of the text that comes with the server.
CREATE TABLE mail_templates (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    seq        bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('invoice_issued', 'receipt', 'reminder', 'credit_note', 'alert')),
    subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 300),
    body       text NOT NULL CHECK (length(body) BETWEEN 1 AND 10000),
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, kind)
);
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON mail_templates FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();
SELECT scope_to_account('mail_templates');
