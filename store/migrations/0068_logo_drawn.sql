-- The logo in the form in which documents draw it, so that no document has to decode the file that was sent. Empty: the file
-- itself is drawn, which is a JPEG, or of before this column (semantics 19.5.2).
-- Holds letterheads: it has a row for each time that a person changed a letterhead.

-- +goose Up

ALTER TABLE letterheads ADD COLUMN logo_drawn bytea NOT NULL DEFAULT '' CHECK (length(logo_drawn) <= 2097152);
DROP TRIGGER audit ON letterheads;
CREATE TRIGGER audit AFTER INSERT ON letterheads FOR EACH ROW
    WHEN (coalesce(current_setting('tollkeeper.audit', true), '') <> '') EXECUTE FUNCTION record_audit_change('logo', 'logo_drawn');
