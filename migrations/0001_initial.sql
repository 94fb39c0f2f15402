-- Times are milliseconds since the Unix epoch unless a column says otherwise.

CREATE TABLE application (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, -- what clients send as X-SERVICE-APPID
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL, -- SHA-256
  rate REAL NOT NULL, -- calls a second for an address, 0 = unlimited
  burst INTEGER NOT NULL, -- calls
  backend_rate REAL NOT NULL, -- calls a second with the secret, 0 = unlimited
  backend_burst INTEGER NOT NULL, -- calls
  quota INTEGER NOT NULL, -- calls a period, 0 = unlimited
  quota_period TEXT NOT NULL CHECK (quota_period IN ('day', 'month')), -- calendar, UTC
  simulated INTEGER NOT NULL DEFAULT 0 CHECK (simulated IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE credential (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  provider TEXT NOT NULL CHECK (provider IN ('apns', 'fcm')),
  public TEXT NOT NULL, -- JSON: what may be shown: kind, key id, team, topic, environment, project, expiry
  sealed BLOB NOT NULL, -- AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag
  created_at INTEGER NOT NULL,
  PRIMARY KEY (application, provider)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: an answer that is still on its way must never meet another device under the same id.
CREATE TABLE device (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)), -- 0 iOS, 1 Android
  state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)), -- 0 registered, 1 gone, 2 quarantined
  environment INTEGER CHECK (environment IN (0, 1)), -- APNs: 0 production, 1 sandbox, NULL not known yet
  token ANY NOT NULL, -- BLOB: bytes of lower-case hex; TEXT: as it came
  alias TEXT,
  lat REAL, -- degrees
  lng REAL, -- degrees
  badge INTEGER NOT NULL DEFAULT 0,
  registered_at INTEGER NOT NULL, -- first registration
  seen_at INTEGER NOT NULL, -- last registration: what a gateway's 'gone since' is held against
  updated_at INTEGER NOT NULL -- last change of any kind
) STRICT;
CREATE UNIQUE INDEX device_by_token ON device (application, platform, token);
CREATE UNIQUE INDEX device_by_alias ON device (application, alias) WHERE alias IS NOT NULL;
-- Ends in the row id, so that the pages of a broadcast are ranges of it.
CREATE INDEX device_reach ON device (application, platform) WHERE state = 0;

CREATE TABLE label (
  id INTEGER PRIMARY KEY,
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)), -- 0 tag, 1 notification type (active)
  name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX label_by_name ON label (application, kind, name);

CREATE TABLE device_label (
  label INTEGER NOT NULL REFERENCES label (id) ON DELETE CASCADE,
  device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  PRIMARY KEY (label, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_label_by_device ON device_label (device);

CREATE TABLE push (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, -- UUID v7, what callers see
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  notification TEXT NOT NULL, -- JSON
  audience TEXT NOT NULL, -- JSON
  ceiling INTEGER NOT NULL, -- the highest device id of the moment: who registers later is not addressed
  opened INTEGER NOT NULL DEFAULT 0, -- opens reported for this push
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX push_by_application ON push (application, number);

-- One push to one platform: each has its own progress, so that a gateway that hangs holds up only its own.
CREATE TABLE delivery (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)),
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
  PRIMARY KEY (push, platform)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_open ON delivery (application, platform, lane, push) WHERE finished_at IS NULL;

-- A row for each recipient that was not simply accepted.
CREATE TABLE push_exception (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)),
  device INTEGER NOT NULL,
  -- retry: to be sent again; leased: being sent, and to be sent again at once if this process ends; else over
  state TEXT NOT NULL CHECK (state IN ('retry', 'leased', 'rejected', 'gone', 'expired')),
  attempt INTEGER NOT NULL, -- sends so far
  due_at INTEGER NOT NULL, -- retry: not before; leased: until; else when it was decided
  badge INTEGER, -- retry: the badge this device was to be shown
  reason TEXT NOT NULL,
  PRIMARY KEY (push, platform, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX push_exception_due ON push_exception (push, platform, due_at) WHERE state IN ('retry', 'leased');

CREATE TABLE feedback (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)),
  token ANY NOT NULL, -- as in device
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (application, platform, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX feedback_by_time ON feedback (application, at);

CREATE TABLE tally (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  day INTEGER NOT NULL, -- days since the Unix epoch, UTC
  platform INTEGER NOT NULL CHECK (platform IN (0, 1)),
  t INTEGER NOT NULL DEFAULT 0, -- notifications addressed
  s INTEGER NOT NULL DEFAULT 0, -- accepted by the gateway
  o INTEGER NOT NULL DEFAULT 0, -- opens
  PRIMARY KEY (application, day, platform)
) STRICT, WITHOUT ROWID;

CREATE TABLE quota (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  period TEXT NOT NULL, -- '2026-11' or '2026-11-20', UTC
  used INTEGER NOT NULL,
  PRIMARY KEY (application, period)
) STRICT, WITHOUT ROWID;
