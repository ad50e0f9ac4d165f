-- Events that a request amends or deprecates, and deliveries of webhooks that it sends again, are in the
-- audit log with what changed. New events are not: no trigger looks at them.

-- +goose Up

CREATE TRIGGER audit AFTER UPDATE ON events FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();
CREATE TRIGGER audit AFTER UPDATE ON webhook_deliveries FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change();
