-- What the planner knows of buckets. The database looks by itself a minute after many
-- rows came in; a series that has just caught up is read at once.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION analyze_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    ANALYZE usage_buckets, usage_values;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION analyze_usage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_usage() TO tollkeeper_app;
