-- Browsers are the third platform, 2, and their credential the third provider. SQLite cannot alter a check, so the tables
-- that have one are made anew; writing to sqlite_schema would spare the copy, but not every system's SQLite allows that
-- (that of macOS does not: SQLITE_DBCONFIG_DEFENSIVE). Columns keep their order, rows their ids.
-- A range, and no list of three: of such a list SQLite builds a table for each row that it checks, which was 4.7 of the
-- 11.8 µs that it took to insert a device.
CREATE TABLE device_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2), -- 0 iOS, 1 Android, 2 web
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2), -- 0 registered, 1 gone, 2 quarantined
  environment INTEGER CHECK (environment IN (0, 1)), -- APNs: 0 production, 1 sandbox, NULL not known yet
  token ANY NOT NULL, -- BLOB: bytes of lower-case hex; TEXT: as it came; of a browser its subscription's endpoint
  alias TEXT,
  lat REAL, -- degrees
  lng REAL, -- degrees
  badge INTEGER NOT NULL DEFAULT 0,
  registered_at INTEGER NOT NULL, -- first registration
  seen_at INTEGER NOT NULL, -- last registration: what a gateway's 'gone since' is held against
  updated_at INTEGER NOT NULL, -- last change of any kind
  timezone TEXT, -- an IANA name such as Europe/Berlin; NULL not known
  cell INTEGER, -- of a quarter of a degree, numbered as src/device/place.ts does; NULL where lat and lng are
  moved_at INTEGER, -- when its time zone last changed; NULL: not since it registered
  user TEXT, -- whose device it is, as the app says; NULL: not said
  locale TEXT, -- a BCP 47 tag in canonical form such as pt-BR; NULL not known
  imported INTEGER CHECK (imported IN (0, 1)) -- 1: and has not registered by itself since; 0: and has; NULL: came by itself
) STRICT;
-- First, since the ids of erased devices are not to come again either: inserting rows only ever raises it.
INSERT INTO sqlite_sequence (name, seq) SELECT 'device_new', seq FROM sqlite_sequence WHERE name = 'device';
INSERT INTO device_new SELECT id, application, platform, state, environment, token, alias, lat, lng, badge,
  registered_at, seen_at, updated_at, timezone, cell, moved_at, user, locale, imported FROM device ORDER BY id;
DROP TABLE device;
ALTER TABLE device_new RENAME TO device;
CREATE UNIQUE INDEX device_by_token ON device (application, platform, token);
CREATE UNIQUE INDEX device_by_alias ON device (application, alias) WHERE alias IS NOT NULL;
CREATE INDEX device_reach ON device (application, platform) WHERE state = 0;
CREATE INDEX device_by_cell ON device (application, platform, cell) WHERE state = 0 AND cell IS NOT NULL;
CREATE INDEX device_by_zone ON device (application, timezone) WHERE timezone IS NOT NULL;
CREATE INDEX device_left ON device (updated_at) WHERE state <> 0;
CREATE INDEX device_by_user ON device (application, user, platform, state) WHERE user IS NOT NULL;
CREATE INDEX device_to_adopt ON device (application, user, platform) WHERE imported = 1 AND user IS NOT NULL;
CREATE TRIGGER device_moved AFTER UPDATE OF timezone ON device WHEN old.timezone IS NOT new.timezone BEGIN
  UPDATE device SET moved_at = new.updated_at WHERE id = new.id;
END;
CREATE TRIGGER device_returned AFTER UPDATE OF state ON device WHEN new.state = 0 BEGIN
  DELETE FROM left_device WHERE device = new.id;
END;

-- What a message to a browser is encrypted with: the keys of its subscription. Other devices cost nothing here.
CREATE TABLE device_key (
  device INTEGER PRIMARY KEY, -- device.id
  p256dh BLOB NOT NULL, -- a point on P-256, uncompressed: 65 bytes
  auth BLOB NOT NULL -- 16 bytes
) STRICT;
CREATE TRIGGER device_erased AFTER DELETE ON device BEGIN
  DELETE FROM device_label WHERE device = old.id;
  DELETE FROM left_device WHERE device = old.id;
  DELETE FROM adopted_token WHERE device = old.id;
  DELETE FROM device_key WHERE device = old.id;
  UPDATE registry_size SET devices = devices - 1 WHERE application = old.application;
END;

CREATE TABLE credential_new (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  provider TEXT NOT NULL CHECK (provider IN ('apns', 'fcm', 'webpush')),
  public TEXT NOT NULL, -- JSON: what may be shown: kind, key id, team, topic, environment, project, expiry, public key
  sealed BLOB NOT NULL, -- AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag
  created_at INTEGER NOT NULL,
  proven_at INTEGER, -- since when a gateway is known to take it; NULL: not yet
  PRIMARY KEY (application, provider)
) STRICT, WITHOUT ROWID;
INSERT INTO credential_new SELECT application, provider, public, sealed, created_at, proven_at FROM credential;
DROP TABLE credential;
ALTER TABLE credential_new RENAME TO credential;

CREATE TABLE delivery_new (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  application INTEGER NOT NULL,
  lane INTEGER NOT NULL CHECK (lane IN (0, 1)), -- 0 a single device, goes first; 1 many
  progress INTEGER NOT NULL DEFAULT 0, -- every device id up to here is settled
  ahead TEXT NOT NULL DEFAULT '[]', -- JSON: settled ranges [from, to] of device ids beyond progress
  addressed INTEGER, -- devices in the audience, NULL until counted
  settled INTEGER NOT NULL DEFAULT 0, -- of these, on settled pages
  accepted INTEGER NOT NULL DEFAULT 0, -- taken by the gateway
  failed INTEGER NOT NULL DEFAULT 0, -- rejected, gone or expired
  started_at INTEGER,
  finished_at INTEGER,
  removed INTEGER NOT NULL DEFAULT 0, -- of those that failed
  waits_until INTEGER, -- ms; NULL: it is in memory, or is to be loaded in its turn
  expires_at INTEGER, -- ms; NULL: it was over before there was this column
  refused TEXT, -- why the gateway refuses the push itself, for everybody, as it says; NULL where it does not
  PRIMARY KEY (push, platform)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_new SELECT push, platform, application, lane, progress, ahead, addressed, settled, accepted, failed,
  started_at, finished_at, removed, waits_until, expires_at, refused FROM delivery ORDER BY push, platform;
DROP TABLE delivery;
ALTER TABLE delivery_new RENAME TO delivery;
CREATE INDEX delivery_open ON delivery (application, platform, lane, push)
  WHERE finished_at IS NULL AND waits_until IS NULL;
CREATE INDEX delivery_waiting ON delivery (application, platform, lane, waits_until)
  WHERE finished_at IS NULL AND waits_until IS NOT NULL;
CREATE INDEX delivery_expiring ON delivery (application, platform, lane, expires_at) WHERE finished_at IS NULL;

CREATE TABLE push_exception_new (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  device INTEGER NOT NULL,
  -- retry: to be sent again; leased: being sent, and to be sent again at once if this process ends; else over
  state TEXT NOT NULL CHECK (state IN ('retry', 'leased', 'rejected', 'gone', 'expired')),
  attempt INTEGER NOT NULL, -- sends so far
  due_at INTEGER NOT NULL, -- retry: not before; leased: until; else when it was decided
  badge INTEGER, -- retry: the badge this device was to be shown
  reason TEXT NOT NULL,
  PRIMARY KEY (push, platform, device)
) STRICT, WITHOUT ROWID;
INSERT INTO push_exception_new SELECT push, platform, device, state, attempt, due_at, badge, reason
FROM push_exception ORDER BY push, platform, device;
DROP TABLE push_exception;
ALTER TABLE push_exception_new RENAME TO push_exception;
CREATE INDEX push_exception_due ON push_exception (push, platform, due_at) WHERE state IN ('retry', 'leased');
CREATE INDEX push_exception_leased ON push_exception (push) WHERE state = 'leased';

CREATE TABLE feedback_new (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  token ANY NOT NULL, -- as in device
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (application, platform, token)
) STRICT, WITHOUT ROWID;
INSERT INTO feedback_new SELECT application, platform, token, reason, at FROM feedback
ORDER BY application, platform, token;
DROP TABLE feedback;
ALTER TABLE feedback_new RENAME TO feedback;
CREATE INDEX feedback_by_time ON feedback (application, at);

CREATE TABLE tally_new (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  day INTEGER NOT NULL, -- days since the Unix epoch, UTC
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  t INTEGER NOT NULL DEFAULT 0, -- notifications addressed
  s INTEGER NOT NULL DEFAULT 0, -- accepted by the gateway
  o INTEGER NOT NULL DEFAULT 0, -- opens
  received INTEGER NOT NULL DEFAULT 0, -- arrivals reported
  PRIMARY KEY (application, day, platform)
) STRICT, WITHOUT ROWID;
INSERT INTO tally_new SELECT application, day, platform, t, s, o, received FROM tally;
DROP TABLE tally;
ALTER TABLE tally_new RENAME TO tally;

CREATE TABLE paused_credential_new (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  PRIMARY KEY (application, platform)
) STRICT, WITHOUT ROWID;
INSERT INTO paused_credential_new SELECT application, platform FROM paused_credential;
DROP TABLE paused_credential;
ALTER TABLE paused_credential_new RENAME TO paused_credential;
