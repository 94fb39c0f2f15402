-- From here on device.moved_at is service time: by a clock that is put back, a move of before would come after a push.
UPDATE device SET moved_at = moved_at - (SELECT coalesce(max(wall_ms - service_ms), 0) FROM service_time)
WHERE moved_at IS NOT NULL;
DROP TRIGGER device_moved;
CREATE TRIGGER device_moved AFTER UPDATE OF timezone ON device WHEN old.timezone IS NOT new.timezone BEGIN
  UPDATE device SET moved_at = new.updated_at - (SELECT coalesce(max(wall_ms - service_ms), 0) FROM service_time)
  WHERE id = new.id;
END;
