-- Several invoices of one billing cycle: a line of usage goes from the start of the
-- cycle on, and adds the time that no earlier one charged for.

-- +goose Up

ALTER TABLE invoice_lines ADD billed_from timestamptz;
ALTER TABLE invoice_lines DISABLE TRIGGER keep_issued;
UPDATE invoice_lines SET billed_from = start_at;
ALTER TABLE invoice_lines ENABLE TRIGGER keep_issued;
ALTER TABLE invoice_lines
    ALTER billed_from SET NOT NULL,
    ADD CHECK (billed_from BETWEEN start_at AND end_at);
CREATE INDEX invoice_lines_of_interval ON invoice_lines (account_id, interval_id, start_at) WHERE interval_id IS NOT NULL;
