-- A push that is to be sent later, or was called off. Its deliveries come into being when it is released.
ALTER TABLE push ADD COLUMN send_at INTEGER; -- NULL: at once
ALTER TABLE push ADD COLUMN released_at INTEGER; -- when its deliveries, or those of its first turn, came into being
ALTER TABLE push ADD COLUMN cancelled_at INTEGER;
-- A turn of a push by local time, one for each moment at which it goes out: the push it is of, which has no deliveries
-- itself.
ALTER TABLE push ADD COLUMN parent INTEGER REFERENCES push (number) ON DELETE CASCADE;
UPDATE push SET released_at = created_at;
CREATE INDEX push_scheduled ON push (send_at) WHERE released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL;
CREATE INDEX push_by_parent ON push (parent) WHERE parent IS NOT NULL;

-- What was answered to an Idempotency-Key, for 30 days.
CREATE TABLE idempotency (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  key TEXT NOT NULL,
  digest BLOB NOT NULL, -- SHA-256 of method, path and body
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  answer TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  PRIMARY KEY (application, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
CREATE INDEX idempotency_by_push ON idempotency (push); -- a push that is erased looks here for its own

-- A broadcast that addresses more devices than this needs their number in `confirm`; 0 = no guard.
ALTER TABLE application ADD COLUMN confirm_above INTEGER NOT NULL DEFAULT 0;
-- For so many seconds a broadcast can be cancelled before it goes out; 0 = at once.
ALTER TABLE application ADD COLUMN hold_seconds INTEGER NOT NULL DEFAULT 0;
