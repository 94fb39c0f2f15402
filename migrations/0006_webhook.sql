-- Where an application hears of events. The secret is sealed as in credential.
CREATE TABLE webhook (
  application INTEGER PRIMARY KEY REFERENCES application (number) ON DELETE CASCADE,
  url TEXT NOT NULL,
  sealed BLOB NOT NULL,
  events TEXT NOT NULL, -- JSON array of types
  changed_at INTEGER NOT NULL,
  disabled_at INTEGER, -- when the receiver answered 410; NULL: it has not
  waiting INTEGER NOT NULL DEFAULT 0, -- rows in event
  dropped INTEGER NOT NULL DEFAULT 0 -- events erased because too many waited, and not yet logged
) STRICT;

-- Events that are not delivered yet.
CREATE TABLE event (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, -- what receivers tell repeats by
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  type TEXT NOT NULL,
  body TEXT NOT NULL, -- JSON, as it is sent
  attempt INTEGER NOT NULL DEFAULT 0, -- tries so far
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_due ON event (application, due_at);
CREATE INDEX event_by_application ON event (application);
CREATE TRIGGER event_erased AFTER DELETE ON event BEGIN
  UPDATE webhook SET waiting = waiting - 1 WHERE application = OLD.application;
END;

-- Credentials of which it is told that they are paused, and not yet that they are good again.
CREATE TABLE paused_credential (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)),
  PRIMARY KEY (application, platform)
) STRICT, WITHOUT ROWID;

-- When it was told of that it is over, so that it is told once.
ALTER TABLE push ADD COLUMN told_at INTEGER;
