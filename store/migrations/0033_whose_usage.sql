-- Whose usage a price counts, and which of it: customers have children whose usage
-- their subscriptions can bill, and a price interval may have a filter of its own.

-- +goose Up

ALTER TABLE accounts ADD children_per_customer integer NOT NULL DEFAULT 100 CHECK (children_per_customer >= 0);

-- One level only: that a parent is no child, and a child no parent, is seen to where
-- it is set, one customer of the account after the other.
ALTER TABLE customers
    ADD parent_id text COLLATE "C",
    ADD FOREIGN KEY (account_id, parent_id) REFERENCES customers (account_id, id),
    ADD CHECK (parent_id <> id);
CREATE INDEX customers_of_parent ON customers (account_id, parent_id, seq) WHERE parent_id IS NOT NULL;

-- Of usage prices. Without ids: the customer of the subscription alone; without a
-- filter: all that the metric counts.
ALTER TABLE price_intervals
    ADD usage_customer_ids jsonb NOT NULL DEFAULT '[]',
    ADD filter             text,
    ADD can_defer_billing  boolean NOT NULL DEFAULT false; -- ended amid a cycle, it waits for the next invoice
-- What the prices of the stint began with.
ALTER TABLE stints
    ADD usage_customer_ids jsonb NOT NULL DEFAULT '[]',
    ADD filter             text;
-- What a line counted, as it was when it was issued.
ALTER TABLE invoice_lines
    ADD usage_customer_ids jsonb NOT NULL DEFAULT '[]',
    ADD filter             text;
CREATE INDEX invoice_lines_of_several ON invoice_lines (account_id) WHERE usage_customer_ids <> '[]';
