-- Applications that go to another server, have gone to one, or have come from one: src/server/move/departure.ts.
CREATE TABLE application_move (
  id TEXT NOT NULL PRIMARY KEY, -- application.id
  application INTEGER NOT NULL, -- application.number here; no such row is left once it has gone
  name TEXT NOT NULL, -- application.name
  -- Away: leaving (here as before), frozen (being copied), left (the other has it, and does not know yet), gone (the other
  -- serves it). In: arriving (being copied), arrived (whole), here (served).
  phase TEXT NOT NULL CHECK (phase IN ('leaving', 'frozen', 'left', 'gone', 'arriving', 'arrived', 'here')),
  admin_url TEXT, -- of the other server, which it goes to
  url TEXT, -- where the other server answers its calls; NULL: it came, and calls have never gone elsewhere
  sealed BLOB, -- what the other server knows this move by
  digest BLOB, -- SHA-256 of what the server it came from is known by
  hooks TEXT NOT NULL DEFAULT '[]', -- JSON: names of its hooks, whose calls go there too
  changed_at INTEGER NOT NULL -- ms since the Unix epoch
) STRICT, WITHOUT ROWID;
