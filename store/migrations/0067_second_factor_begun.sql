-- The secret of a second factor that is not on yet belongs to the session that began it, for ten minutes. Else who had a
-- session for a moment could keep a secret that the person confirms later, and have codes of it (semantics 14.8.7).

-- +goose Up

ALTER TABLE credentials
    ADD COLUMN totp_session text COLLATE "C", -- that began it; null once it is on, or of a secret from before this column
    ADD COLUMN totp_begun_at timestamptz;     -- real time
