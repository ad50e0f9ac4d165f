-- What due work does for each unit of it, made cheaper.

-- +goose Up

-- begin_due is begin_account for work that fell due at an instant: a clock that is set by
-- hand is put forward to it. A real clock, and one that is further already, stay as they
-- are. It returns the instant, or null where there is no such account.
-- +goose StatementBegin
CREATE FUNCTION begin_due(account text, instant timestamptz) RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('tollkeeper.account', account, true);
    UPDATE accounts SET clock_now = instant WHERE id = account AND clock_now < instant;
    RETURN (SELECT instant FROM accounts WHERE id = account);
END
$$;
-- +goose StatementEnd
DROP FUNCTION move_clock(text, timestamptz);

-- An invoice is of its customer's account, and a line of its invoice's, which they refer
-- to already. To look that up again locks the row of the account for each of them, and all
-- who bill it at once wait for that in turn.
ALTER TABLE invoices DROP CONSTRAINT invoices_account_id_fkey;
ALTER TABLE invoice_lines DROP CONSTRAINT invoice_lines_account_id_fkey;
