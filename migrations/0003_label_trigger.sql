-- A trigger in place of two foreign keys: a key looks both parents up for each label of each registration, a trigger
-- works only when a device is erased. Measured: 4.5 of 45 µs a registration.
CREATE TABLE device_label_new (
  label INTEGER NOT NULL, -- label.id
  device INTEGER NOT NULL, -- device.id
  PRIMARY KEY (label, device)
) STRICT, WITHOUT ROWID;
INSERT INTO device_label_new SELECT label, device FROM device_label;
DROP TABLE device_label;
ALTER TABLE device_label_new RENAME TO device_label;
CREATE INDEX device_label_by_device ON device_label (device);
-- Also for the devices that go with their application.
CREATE TRIGGER device_erased AFTER DELETE ON device BEGIN
  DELETE FROM device_label WHERE device = old.id;
END;
