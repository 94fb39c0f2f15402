-- Where the service tells its operator that something is wrong.
CREATE TABLE alert (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  channel TEXT NOT NULL CHECK (channel IN ('webhook', 'ntfy', 'email')),
  place TEXT NOT NULL, -- what is shown of its URL: an origin, or an address of mail
  sealed BLOB NOT NULL, -- JSON: the URL, and what calls or mails are proven with
  kinds TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- ms since the Unix epoch
  told_at INTEGER, -- when a message was last taken, ms since the Unix epoch; NULL: never
  problem TEXT -- why the last message was not; NULL: it was, or there was none
) STRICT;

-- What each of them has been told, or is to be told.
CREATE TABLE alert_condition (
  alert INTEGER NOT NULL REFERENCES alert (number) ON DELETE CASCADE,
  about TEXT NOT NULL, -- which condition: quotas/shop
  kind TEXT NOT NULL,
  what TEXT NOT NULL, -- sentence
  next TEXT NOT NULL, -- what to do about it
  since INTEGER NOT NULL, -- ms since the Unix epoch
  ended_at INTEGER, -- ms since the Unix epoch; NULL: it holds
  told INTEGER NOT NULL CHECK (told IN (0, 1)), -- 1: that it has begun
  PRIMARY KEY (alert, about)
) STRICT, WITHOUT ROWID;
