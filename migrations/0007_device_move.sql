-- A push by local time must not meet a device again that has travelled on.
ALTER TABLE device ADD COLUMN moved_at INTEGER; -- when its time zone last changed; NULL: not since it registered
CREATE TRIGGER device_moved AFTER UPDATE OF timezone ON device WHEN old.timezone IS NOT new.timezone BEGIN
  UPDATE device SET moved_at = new.updated_at WHERE id = new.id;
END;
-- Which zones there are: one look for each zone, whatever the number of devices.
CREATE INDEX device_by_zone ON device (application, timezone) WHERE timezone IS NOT NULL;
