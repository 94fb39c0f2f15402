-- Which devices have opened which push, for 'why did my phone not get it'.
CREATE TABLE opened (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  device INTEGER NOT NULL, -- device.id; without a key, for which each device that is erased would be looked up here
  at INTEGER NOT NULL, -- the first time
  PRIMARY KEY (push, device)
) STRICT, WITHOUT ROWID;
