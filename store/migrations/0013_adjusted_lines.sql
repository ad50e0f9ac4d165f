-- What changes a price's amount after it was rated: over which time of a
-- subscription an adjustment works, and what it did to a line item.

-- +goose Up

-- The phases of a subscription whose plan has some.
CREATE TABLE subscription_phases (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    phase_order     integer NOT NULL CHECK (phase_order >= 1),
    start_at        timestamptz NOT NULL,
    end_at          timestamptz,               -- exclusive; null: with the subscription
    aligned         boolean NOT NULL,          -- billing cycles begin anew where it starts
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, subscription_id, phase_order),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    CHECK (end_at > start_at)
);

CREATE TABLE adjustment_intervals (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    adjustment_id   text COLLATE "C" NOT NULL,
    position        integer NOT NULL,          -- order of creation, which decides within a step
    start_at        timestamptz NOT NULL,
    end_at          timestamptz,               -- null: with the subscription
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, adjustment_id) REFERENCES adjustments (account_id, id),
    CHECK (end_at > start_at)
);
CREATE INDEX adjustment_intervals_of_subscription ON adjustment_intervals (account_id, subscription_id, position);

SELECT scope_to_account('subscription_phases');
SELECT scope_to_account('adjustment_intervals');

ALTER TABLE invoice_lines
    ADD COLUMN exact       numeric NOT NULL DEFAULT 0,    -- the subtotal before it was rounded
    ADD COLUMN groups      jsonb   NOT NULL DEFAULT '[]', -- the subtotal by the property the invoice shows it by
    ADD COLUMN adjustments jsonb   NOT NULL DEFAULT '[]', -- what each did, in order
    ADD COLUMN conversion  jsonb   NOT NULL DEFAULT '[]'; -- how a custom unit became money
