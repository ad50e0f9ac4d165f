-- A charge that goes on after an end that was taken back has the quantity in force. It kept
-- the quantity of the day on which it was noted, so a later change was lost from there on.

-- +goose Up

ALTER TABLE quantity_transitions ALTER COLUMN quantity DROP NOT NULL;

-- Invoices that were issued until now keep the terms by which they were issued.
INSERT INTO past_terms (account_id, id, created_at, subscription_id, edition, subscriptions,
    stints, subscription_phases, price_intervals, quantity_transitions, adjustment_intervals)
SELECT s.account_id, 'past_' || substr(md5(s.account_id || s.id || random()), 1, 20), now(), s.id, s.edition, jsonb_build_array(to_jsonb(s)),
    (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM stints r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
    (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM subscription_phases r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
    (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM price_intervals r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
    (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM quantity_transitions r
        JOIN price_intervals i ON i.account_id = r.account_id AND i.id = r.interval_id
        WHERE r.account_id = s.account_id AND i.subscription_id = s.id),
    (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM adjustment_intervals r WHERE r.account_id = s.account_id AND r.subscription_id = s.id)
FROM subscriptions s
WHERE EXISTS (SELECT FROM price_intervals i JOIN quantity_transitions q ON q.account_id = i.account_id AND q.interval_id = i.id
    WHERE i.account_id = s.account_id AND i.subscription_id = s.id AND q.resumes);

UPDATE subscriptions s SET edition = edition + 1
WHERE EXISTS (SELECT FROM price_intervals i JOIN quantity_transitions q ON q.account_id = i.account_id AND q.interval_id = i.id
    WHERE i.account_id = s.account_id AND i.subscription_id = s.id AND q.resumes);

UPDATE quantity_transitions SET quantity = NULL WHERE resumes;
ALTER TABLE quantity_transitions ADD CHECK ((quantity IS NULL) = resumes);
