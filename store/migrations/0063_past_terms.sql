-- What the terms of a subscription were before each change of them, and which of them an
-- invoice was issued by: so that it can be worked out anew, to the byte, whatever became
-- of the subscription since.

-- +goose Up

ALTER TABLE subscriptions ADD COLUMN edition integer NOT NULL DEFAULT 0;  -- how often its terms were changed
ALTER TABLE invoices ADD COLUMN edition integer;                          -- of its subscription, at the issue; null: of none, or not known

ALTER TABLE invoices DISABLE TRIGGER keep_issued;
UPDATE invoices i SET edition = 0 FROM subscriptions s
    WHERE s.account_id = i.account_id AND s.id = i.subscription_id AND i.issued_at IS NOT NULL
      AND (s.edited_at IS NULL OR s.edited_at < i.issued_at)
      AND NOT EXISTS (SELECT FROM adjustment_intervals a
          WHERE a.account_id = s.account_id AND a.subscription_id = s.id AND a.created_at >= i.issued_at);
ALTER TABLE invoices ENABLE TRIGGER keep_issued;
ALTER TABLE subscriptions DROP COLUMN edited_at;

-- The rows are as they were in their tables, by whose names the columns go.
CREATE TABLE past_terms (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,                            -- when they were changed
    subscription_id      text COLLATE "C" NOT NULL,
    edition              integer NOT NULL,
    subscriptions        jsonb NOT NULL,
    stints               jsonb NOT NULL,
    subscription_phases  jsonb NOT NULL,
    price_intervals      jsonb NOT NULL,
    quantity_transitions jsonb NOT NULL,
    adjustment_intervals jsonb NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, subscription_id, edition),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id)
);

-- +goose StatementBegin
CREATE FUNCTION keep_past_terms() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'terms of the past cannot change';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON past_terms
    FOR EACH ROW EXECUTE FUNCTION keep_past_terms();

SELECT scope_to_account('past_terms');
