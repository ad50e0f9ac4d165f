-- What the verification of events, keys and buckets reads.

-- +goose Up

-- Keys come in the order of seq, so a range of them is together in their tables. The
-- verification reads them in such ranges; a summary of pages is enough for that, and costs
-- ingestion nearly nothing. Parts to come get the same index.
CREATE INDEX event_keys_in_order ON event_keys USING brin (seq) WITH (pages_per_range = 32, autosummarize = on);

-- Buckets are compared with events as the role that may read both. It leaves out what is about
-- to be made anew.
GRANT SELECT ON usage_gaps TO tollkeeper_aggregator;
