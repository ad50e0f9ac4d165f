-- How often the links to an invoice, and the permanent ones to the portal of a customer, were withdrawn. The number is part of
-- what a link's code is over; 0 is as it was before, so links of before go on to work. And customers act in the audit log: by
-- the session of their portal.

-- +goose Up

LOCK TABLE accounts, audit_entries, customers, invoices IN ACCESS EXCLUSIVE MODE;
ALTER TABLE customers ADD COLUMN links_withdrawn integer NOT NULL DEFAULT 0;
ALTER TABLE invoices ADD COLUMN links_withdrawn integer NOT NULL DEFAULT 0;
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_actor_type_check;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_actor_type_check
    CHECK (actor_type IN ('api_key', 'command', 'person', 'portal_session')) NOT VALID; -- each row of before was of fewer
