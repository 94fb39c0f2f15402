-- What a device had that is gone, or whose alias another has taken while it was in quarantine: out of the way of audiences
-- and of other devices, and there for when it is restored.
CREATE TABLE left_device (
  device INTEGER PRIMARY KEY, -- device.id
  alias TEXT,
  labels TEXT NOT NULL -- JSON: {"tag": [names], "active": [names]}
) STRICT;
DROP TRIGGER device_erased;
CREATE TRIGGER device_erased AFTER DELETE ON device BEGIN
  DELETE FROM device_label WHERE device = old.id;
  DELETE FROM left_device WHERE device = old.id;
  UPDATE registry_size SET devices = devices - 1 WHERE application = old.application;
END;
CREATE TRIGGER device_returned AFTER UPDATE OF state ON device WHEN new.state = 0 BEGIN
  DELETE FROM left_device WHERE device = new.id;
END;
