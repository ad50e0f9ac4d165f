-- How events are numbered. The number of an event is that of the transaction that stored it,
-- and its place in that transaction. Transactions are numbered by the cluster of the database.
-- A dump that is restored into another cluster meets other transaction numbers, often lower
-- ones. The era makes up for that: it is added to every transaction number that is stored.

-- +goose Up

CREATE TABLE event_numbering (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    era        bigint NOT NULL,
    -- Transactions, era included. Each number that was given since this row was last written is
    -- at or above the floor. Each number and each moment that is stored is below the ceiling:
    -- a recording that comes to it raises it first.
    floor      bigint NOT NULL,
    ceiling    bigint NOT NULL CHECK (ceiling > floor AND ceiling < 1::bigint << 43),
    -- The transaction that wrote this row, and the identifier of its cluster (null: not known).
    -- A row that another transaction brought, as reading a dump does, is a copy: its era does
    -- not fit this cluster, and no number is given until another row is written.
    written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
    cluster    bigint
);
GRANT SELECT ON event_numbering TO tollkeeper_app, tollkeeper_aggregator;

-- The era is 0 unless the database was read from a dump before there were eras.
-- +goose StatementBegin
DO $$
DECLARE
    here bigint;
    stored bigint; -- the highest transaction that is stored
    oldest bigint;
BEGIN
    BEGIN
        SELECT system_identifier INTO here FROM pg_control_system();
    EXCEPTION WHEN insufficient_privilege THEN
        NULL;
    END;
    SELECT greatest(
            (SELECT max(mark) >> 20 FROM usage_progress),
            (SELECT max(e.seq) >> 20 FROM accounts AS a CROSS JOIN LATERAL (SELECT max(seq) AS seq FROM events WHERE account_id = a.id) AS e),
            (SELECT max(mark) >> 20 FROM unmatched_marks),
            (SELECT max(pg_snapshot_xmax(seen)::text::bigint) FROM usage_revisions),
            (SELECT max(pg_snapshot_xmax(seen)::text::bigint) FROM alert_progress),
            (SELECT max(pg_snapshot_xmax(seen)::text::bigint) FROM accrual_progress),
            (SELECT max(pg_snapshot_xmax(seen)::text::bigint) FROM invoices),
            0),
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        INTO stored, oldest;
    INSERT INTO event_numbering (era, floor, ceiling, cluster)
        SELECT era, 0, greatest(stored, pg_current_xact_id()::text::bigint + era) + (1 << 26), here
        FROM (SELECT CASE WHEN stored > pg_current_xact_id()::text::bigint THEN stored + 1 - oldest ELSE 0 END AS era) AS e;
END
$$;
-- +goose StatementEnd
