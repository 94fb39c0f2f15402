-- Who made a link or a token: "administrator ann", "token ci", "command root"; NULL: not known, or the start of a server.
-- Once a token is revoked, what it made counts as made by its maker.
ALTER TABLE admin_link ADD COLUMN made_by TEXT;
ALTER TABLE admin_token ADD COLUMN made_by TEXT;
UPDATE admin_token SET made_by = (
  SELECT who FROM admin_log
  WHERE action = 'make token' AND result = 'ok' AND subject = admin_token.name COLLATE NOCASE
  ORDER BY number DESC LIMIT 1
);
