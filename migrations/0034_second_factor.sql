-- A second factor of administrators; and what a token is for, and until when. Times are ms since the Unix epoch.
CREATE TABLE second_factor (
  administrator INTEGER NOT NULL PRIMARY KEY REFERENCES administrator (number) ON DELETE CASCADE,
  sealed BLOB NOT NULL, -- the secret that codes are made of (RFC 6238)
  confirmed_at INTEGER, -- NULL: no code of it has been seen yet, and none is asked for
  last_step INTEGER NOT NULL -- the codes of this step of 30 s since the epoch, and of those before it, are used up
) STRICT;

CREATE TABLE recovery_code (
  administrator INTEGER NOT NULL REFERENCES second_factor (administrator) ON DELETE CASCADE,
  digest BLOB NOT NULL, -- SHA-256
  PRIMARY KEY (administrator, digest)
) STRICT, WITHOUT ROWID;

-- Tokens that there are may do everything, and have no end.
ALTER TABLE admin_token ADD COLUMN purpose TEXT NOT NULL DEFAULT 'administer'; -- 'read', 'send', 'operate' or 'administer'
ALTER TABLE admin_token ADD COLUMN expires_at INTEGER; -- NULL: never
