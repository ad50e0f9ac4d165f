-- How many requests a second each API key of an account may send, and how many of them may be
-- requests of ingestion. Null: as many as it likes.

-- +goose Up

ALTER TABLE accounts
    ADD COLUMN requests_per_second        integer CHECK (requests_per_second > 0),
    ADD COLUMN ingest_requests_per_second integer CHECK (ingest_requests_per_second > 0);
