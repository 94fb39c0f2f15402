-- Which devices a gateway has taken a notification for with the stored credential: only they can say something against it.
CREATE TABLE accepted_device (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL,
  credential INTEGER NOT NULL, -- credential.created_at; 0: the simulator's
  block INTEGER NOT NULL, -- device.id / 512
  devices BLOB NOT NULL CHECK (length(devices) = 64), -- bit n, from the lowest of the first byte on: block * 512 + n
  PRIMARY KEY (application, platform, credential, block)
) STRICT, WITHOUT ROWID;

-- Tokens that were refused with a credential that the gateway has not taken anything with yet: it may be the wrong one.
CREATE TABLE refused_token (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL,
  credential INTEGER NOT NULL, -- as in accepted_device
  device INTEGER NOT NULL, -- device.id, which may be gone
  reason TEXT NOT NULL, -- the gateway's own word
  since INTEGER NOT NULL, -- when it was asked, ms since the Unix epoch
  PRIMARY KEY (application, platform, credential, device)
) STRICT, WITHOUT ROWID;

-- A credential that was known to be good stays so: no device is known by which, since no id is negative.
INSERT INTO accepted_device (application, platform, credential, block, devices)
  SELECT application, CASE provider WHEN 'apns' THEN 0 WHEN 'fcm' THEN 1 ELSE 2 END, created_at, -1, zeroblob(64)
  FROM credential WHERE proven_at IS NOT NULL;
ALTER TABLE credential DROP COLUMN proven_at;
