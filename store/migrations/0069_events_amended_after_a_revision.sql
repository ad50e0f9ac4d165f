-- +goose Up

-- A revision replaces the events for which its filter held when it came into effect. Of
-- those that were amended since it is noted here, for their properties tell it no more.
ALTER TABLE usage_revisions
    ADD matched   bigint[] NOT NULL DEFAULT '{}', -- seqs of events for which it held
    ADD unmatched bigint[] NOT NULL DEFAULT '{}';
