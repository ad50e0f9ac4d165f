-- A mail with a link to the portal has no link until it is sent: the server that sends it makes one. A server of a version
-- that does not know that would send the mail without. So only a transaction that says that it makes links can change,
-- and so claim, such a mail. For others it waits.

-- +goose Up

CREATE POLICY opens_portals ON mails AS RESTRICTIVE FOR UPDATE
    USING (kind <> 'portal_link' OR coalesce(current_setting('tollkeeper.opens_portals', true), '') = 'on');
