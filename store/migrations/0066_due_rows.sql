-- +goose Up

-- Work that is done leaves its rows, dead, at the head of the indexes by which the next is
-- found: whoever looks passes them until they are cleared away, which is done sooner.
ALTER TABLE subscriptions SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE invoices SET (autovacuum_vacuum_scale_factor = 0.02);

-- begin_due writes a clock only where it is to be put forward.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION begin_due(account text, instant timestamptz) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz; -- null: a real one
BEGIN
    PERFORM set_config('tollkeeper.account', account, true);
    SELECT clock_now INTO clock FROM accounts WHERE id = account;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF clock < instant THEN
        UPDATE accounts SET clock_now = instant WHERE id = account AND clock_now < instant;
    END IF;
    RETURN instant;
END
$$;
-- +goose StatementEnd
