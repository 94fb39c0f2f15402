-- Where an application hears of events. The secret is sealed as in credential.
CREATE TABLE webhook (
  application INTEGER PRIMARY KEY REFERENCES application (number) ON DELETE CASCADE,
  url TEXT NOT NULL,
  sealed BLOB NOT NULL,
  events TEXT NOT NULL, -- JSON array of types
  created_at INTEGER NOT NULL
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
CREATE INDEX event_due ON event (due_at);
