-- A delivery of which everybody who is left waits for another attempt is not held in memory; and one whose time to live
-- is over is found wherever it waits.
ALTER TABLE delivery ADD COLUMN waits_until INTEGER; -- ms; NULL: it is in memory, or is to be loaded in its turn
ALTER TABLE delivery ADD COLUMN expires_at INTEGER; -- ms; NULL: it was over before there was this column
UPDATE delivery SET expires_at = (SELECT p.expires_at FROM push p WHERE p.number = delivery.push)
WHERE finished_at IS NULL;

DROP INDEX delivery_open;
CREATE INDEX delivery_open ON delivery (application, platform, lane, push)
  WHERE finished_at IS NULL AND waits_until IS NULL;
CREATE INDEX delivery_waiting ON delivery (application, platform, lane, waits_until)
  WHERE finished_at IS NULL AND waits_until IS NOT NULL;
CREATE INDEX delivery_expiring ON delivery (application, platform, lane, expires_at) WHERE finished_at IS NULL;

CREATE INDEX push_exception_leased ON push_exception (push) WHERE state = 'leased';
