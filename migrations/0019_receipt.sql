-- What devices say of a push, and not only that it was opened: that it arrived, and which action was chosen.
CREATE TABLE receipt (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  device INTEGER NOT NULL, -- device.id; without a key, for which each device that is erased would be looked up here
  event INTEGER NOT NULL CHECK (event BETWEEN 0 AND 2), -- 0 opened, 1 received, 2 action
  action TEXT NOT NULL DEFAULT '', -- its name; '' for other events
  at INTEGER NOT NULL, -- the first time
  PRIMARY KEY (push, device, event, action)
) STRICT, WITHOUT ROWID;
INSERT INTO receipt (push, device, event, at) SELECT push, device, 0, at FROM opened ORDER BY push, device;
DROP TABLE opened;

-- How often each was said of a push, also by who gave no token. Beside the push, whose row is long: with its text and its
-- audience, all of which SQLite reads and compares to change one column.
CREATE TABLE push_receipt (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  event INTEGER NOT NULL CHECK (event BETWEEN 0 AND 2), -- as in receipt
  action TEXT NOT NULL DEFAULT '', -- a few names for each push, and 'other' for further ones
  count INTEGER NOT NULL,
  PRIMARY KEY (push, event, action)
) STRICT, WITHOUT ROWID;
INSERT INTO push_receipt (push, event, count) SELECT number, 0, opened FROM push WHERE opened > 0;
ALTER TABLE push DROP COLUMN opened;

ALTER TABLE tally ADD COLUMN received INTEGER NOT NULL DEFAULT 0; -- arrivals reported
