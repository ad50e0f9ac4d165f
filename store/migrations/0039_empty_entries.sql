-- An entry that came to draw nothing before it was committed does not keep its block from
-- paying for that day after all, when another block is deleted.

-- +goose Up

DROP INDEX ledger_entries_once;
CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (account_id, line_id, day, block_id)
    WHERE kind = 'decrement' AND line_id IS NOT NULL AND amount > 0;

-- What was given back by hand of a day's usage may turn out not to have been used.
ALTER TABLE credit_blocks DROP CONSTRAINT credit_blocks_check;
