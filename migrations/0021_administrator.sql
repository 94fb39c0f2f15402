-- Who may use the admin side from a browser, or with a token; and what they did there. Times are ms since the Unix epoch.
CREATE TABLE administrator (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  password TEXT NOT NULL, -- argon2id, in PHC's string format
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE admin_session (
  digest BLOB NOT NULL PRIMARY KEY, -- SHA-256 of what the cookie holds
  administrator INTEGER NOT NULL REFERENCES administrator (number) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL -- to the minute
) STRICT, WITHOUT ROWID;
CREATE INDEX admin_session_by_administrator ON admin_session (administrator);

-- A link that is good once: to become an administrator, or to be signed in as one.
CREATE TABLE admin_link (
  digest BLOB NOT NULL PRIMARY KEY, -- SHA-256
  administrator INTEGER REFERENCES administrator (number) ON DELETE CASCADE, -- NULL: whoever has it becomes one
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- For programs.
CREATE TABLE admin_token (
  name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE, -- SHA-256
  created_at INTEGER NOT NULL,
  used_at INTEGER -- to the minute
) STRICT, WITHOUT ROWID;

CREATE TABLE admin_log (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL, -- "administrator ann", "token ci", "command"
  action TEXT NOT NULL, -- "sign in", "push", "rotate secret" and such
  subject TEXT NOT NULL, -- what it was done to, by name; '' for nothing in particular
  detail TEXT NOT NULL -- JSON; no secret
) STRICT;
CREATE INDEX admin_log_by_at ON admin_log (at);
CREATE TRIGGER admin_log_stays BEFORE UPDATE ON admin_log BEGIN
  SELECT raise(ABORT, 'what was done stays as it was written down');
END;
