-- What is sold and how its use is measured: items, metrics, groups of dimensions, types
-- of licenses.

-- +goose Up

CREATE TABLE items (
    account_id           text COLLATE "C" NOT NULL REFERENCES accounts,
    id                   text COLLATE "C" NOT NULL,
    seq                  bigint GENERATED ALWAYS AS IDENTITY,
    created_at           timestamptz NOT NULL,
    archived_at          timestamptz,                    -- null: it can be sold
    name                 text NOT NULL,
    external_connections jsonb NOT NULL DEFAULT '[]',    -- its names in other systems
    metadata             jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
CREATE INDEX items_newest ON items (account_id, created_at, seq);

CREATE TABLE metrics (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    id          text COLLATE "C" NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    created_at  timestamptz NOT NULL,
    name        text NOT NULL,
    description text,
    item_id     text COLLATE "C" NOT NULL,
    sql         text NOT NULL,
    status      text NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    metadata    jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, item_id) REFERENCES items (account_id, id)
);
CREATE INDEX metrics_newest ON metrics (account_id, created_at, seq);

-- A metric, partitioned by properties of its events. Each price of the group is for one
-- combination of their values.
CREATE TABLE dimensional_price_groups (
    account_id                          text COLLATE "C" NOT NULL REFERENCES accounts,
    id                                  text COLLATE "C" NOT NULL,
    seq                                 bigint GENERATED ALWAYS AS IDENTITY,
    created_at                          timestamptz NOT NULL,
    name                                text NOT NULL,
    external_dimensional_price_group_id text COLLATE "C",
    metric_id                           text COLLATE "C" NOT NULL,
    dimensions                          jsonb NOT NULL CHECK (jsonb_array_length(dimensions) > 0), -- in this order
    metadata                            jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, metric_id) REFERENCES metrics (account_id, id)
);
CREATE INDEX dimensional_price_groups_newest ON dimensional_price_groups (account_id, created_at, seq);
CREATE UNIQUE INDEX dimensional_price_groups_alias
    ON dimensional_price_groups (account_id, external_dimensional_price_group_id);

CREATE TABLE license_types (
    account_id   text COLLATE "C" NOT NULL REFERENCES accounts,
    id           text COLLATE "C" NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    created_at   timestamptz NOT NULL,
    name         text NOT NULL,
    grouping_key text NOT NULL,                -- the property that tells events whose license they use
    PRIMARY KEY (account_id, id)
);
CREATE INDEX license_types_oldest ON license_types (account_id, created_at, seq);

SELECT scope_to_account('items');
SELECT scope_to_account('metrics');
SELECT scope_to_account('dimensional_price_groups');
SELECT scope_to_account('license_types');
