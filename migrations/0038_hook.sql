-- Where other services report events, which a template turns into pushes.
CREATE TABLE hook (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE, -- in the path of its calls
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  template TEXT NOT NULL, -- JSON
  key_hash BLOB, -- SHA-256 of the key that calls have; NULL: they are signed
  signature TEXT CHECK (signature IN ('standard', 'github', 'stripe')), -- how they are signed; NULL: they have a key
  sealed BLOB, -- the secret that they are signed with
  created_at INTEGER NOT NULL, -- ms since the Unix epoch
  changed_at INTEGER NOT NULL, -- ms since the Unix epoch
  CHECK ((key_hash IS NULL) = (signature IS NOT NULL)),
  CHECK ((sealed IS NULL) = (signature IS NULL))
) STRICT;

CREATE INDEX hook_by_application ON hook (application);

-- The last calls of each hook: what became of them, without anything that came.
CREATE TABLE hook_call (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hook INTEGER NOT NULL REFERENCES hook (number) ON DELETE CASCADE,
  at INTEGER NOT NULL, -- ms since the Unix epoch
  outcome TEXT NOT NULL CHECK (outcome IN ('pushed', 'ignored', 'refused')),
  detail TEXT NOT NULL, -- push.id, or why there was none
  repeats INTEGER NOT NULL DEFAULT 1 -- calls in a row with this outcome and detail
) STRICT;

CREATE INDEX hook_call_by_hook ON hook_call (hook, number);
