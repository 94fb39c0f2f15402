-- Service time: milliseconds that only run forward. It began as the time of day of the first start.
CREATE TABLE service_time (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  service_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL -- what the clock showed then, ms since the Unix epoch
) STRICT;

-- From here on delivery.expires_at and delivery.waits_until of what is open, push_exception.due_at of who waits, and
-- event.due_at are service time. As the first start begins with the time of day, they are right as they are, but for
-- jumps of the clock that a process had noted and did not live to follow: of the first of them, up to `reached`.
UPDATE delivery SET expires_at = expires_at + (
  SELECT coalesce(sum(j.by_ms), 0) FROM clock_jump j
  WHERE NOT EXISTS (
      SELECT 1 FROM push p WHERE p.number = delivery.push AND (p.cancelled_at IS NOT NULL
        OR coalesce(p.released_at, p.created_at) BETWEEN j.since
          AND iif(p.send_at IS NULL, j.until, max(j.until, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)))))
    AND (j.reached IS NULL OR iif(j.by_ms > 0,
      (application, platform, lane, expires_at, push) < (j.reached ->> 0, j.reached ->> 1, j.reached ->> 2, j.reached ->> 3, j.reached ->> 4),
      (application, platform, lane, expires_at, push) > (j.reached ->> 0, j.reached ->> 1, j.reached ->> 2, j.reached ->> 3, j.reached ->> 4))))
WHERE finished_at IS NULL AND EXISTS (SELECT 1 FROM clock_jump);
DROP TABLE clock_jump;

-- Nor does anybody wait, for a clock that was ahead before, longer than a start believed.
UPDATE push_exception SET due_at = min(due_at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + 3600000)
WHERE state IN ('retry', 'leased');
UPDATE delivery SET waits_until = min(waits_until, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + 3600000)
WHERE finished_at IS NULL AND waits_until IS NOT NULL;

-- A broadcast that its application holds back for a time, in which it can be cancelled, waits for that by service time.
ALTER TABLE push ADD COLUMN held_until INTEGER; -- ms of service time; NULL: it goes by send_at, if it has one
CREATE INDEX push_held ON push (held_until)
  WHERE released_at IS NULL AND cancelled_at IS NULL AND held_until IS NOT NULL;
