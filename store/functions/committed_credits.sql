-- What is committed is history. The balances of an entry follow from the entries before it, of
-- which some may be pending, so they are no part of what is committed. An entry of a block
-- that comes to be counted moves the balance from then on.
--
-- A deduction belongs to a price, a local day and a block. Which document shows it may change:
-- a draft is billed on another date, or an issued invoice is replaced. So a committed entry
-- may name another invoice, and another line of it.
CREATE OR REPLACE FUNCTION ledger_entries_committed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND ROW (NEW.id, NEW.sequence, NEW.kind, NEW.status, NEW.amount, NEW.block_id, NEW.day, NEW.price_id, NEW.line_id IS NULL)
            IS NOT DISTINCT FROM ROW (OLD.id, OLD.sequence, OLD.kind, OLD.status, OLD.amount, OLD.block_id, OLD.day, OLD.price_id, OLD.line_id IS NULL)
            AND (NEW.ending_balance - NEW.starting_balance = OLD.ending_balance - OLD.starting_balance OR OLD.ending_balance = OLD.starting_balance) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'ledger entry % is committed', OLD.id;
END
$$;
