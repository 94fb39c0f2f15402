-- Devices that came by an import: the token of each may be another than the one that the app itself has on that phone.
ALTER TABLE device ADD COLUMN imported INTEGER CHECK (imported IN (0, 1)); -- 1: and has not registered by itself since; 0: and has; NULL: came by itself
-- Those whose place may be taken. A device that registers by itself costs nothing here.
CREATE INDEX device_to_adopt ON device (application, user, platform) WHERE imported = 1 AND user IS NOT NULL;

-- The tokens that such devices came with, where another token of their user has taken their place: a later import of the
-- same list must not bring the phone a second time.
CREATE TABLE adopted_token (
  device INTEGER PRIMARY KEY, -- device.id, which has the other token now
  application INTEGER NOT NULL,
  platform INTEGER NOT NULL, -- as in device, and so is the token
  token ANY NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX adopted_token_by_token ON adopted_token (application, platform, token);
DROP TRIGGER device_erased;
CREATE TRIGGER device_erased AFTER DELETE ON device BEGIN
  DELETE FROM device_label WHERE device = old.id;
  DELETE FROM left_device WHERE device = old.id;
  DELETE FROM adopted_token WHERE device = old.id;
  UPDATE registry_size SET devices = devices - 1 WHERE application = old.application;
END;

-- Whether a registration may take the place of such a device; NULL: not said, and turned on by an import that brings users.
ALTER TABLE application ADD COLUMN adopt_imported INTEGER CHECK (adopt_imported IN (0, 1));
