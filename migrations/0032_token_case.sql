-- Apple's tokens are hex, and are the same in upper and lower case; from now on they are kept in lower case. Those that are
-- not become so, and of several devices that only the case kept apart one goes on: a registered one, the one seen last.

-- Bytes by their two digits: unhex() is of SQLite 3.41, and a Mac may have an older one.
CREATE TABLE hex_byte (
  number INTEGER PRIMARY KEY, -- 0 to 255
  digits TEXT NOT NULL UNIQUE,
  byte BLOB NOT NULL
) STRICT;
INSERT INTO hex_byte
  WITH RECURSIVE each (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM each WHERE number < 255),
  bytes (every) AS (SELECT CAST(
      x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F'
      || x'404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F'
      || x'808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF'
      || x'C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF' AS BLOB))
  SELECT number, hex(substr(every, number + 1, 1)), substr(every, number + 1, 1) FROM each, bytes;

-- The tokens in question, and how each is kept from now on: as bytes, or in lower case where its digits make no whole bytes.
CREATE TABLE token_case (
  written TEXT PRIMARY KEY,
  token ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO token_case
  WITH each AS (
    SELECT platform, token FROM device
    UNION ALL SELECT platform, token FROM feedback
    UNION ALL SELECT platform, token FROM adopted_token),
  other AS MATERIALIZED (
    SELECT DISTINCT token AS written FROM each
    WHERE platform = 0 AND typeof(token) = 'text' AND length(token) BETWEEN 64 AND 200
      AND token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*')
  SELECT written, CASE length(written) % 2 WHEN 1 THEN lower(written) ELSE (
    SELECT CAST(group_concat(byte, '') AS BLOB) FROM (
      SELECT of.byte FROM hex_byte place CROSS JOIN hex_byte of ON of.digits = substr(upper(written), 2 * place.number + 1, 2)
      WHERE place.number < length(written) / 2 ORDER BY place.number)) END
  FROM other;
DROP TABLE hex_byte;

CREATE TABLE spelled (
  id INTEGER PRIMARY KEY, -- device.id
  application INTEGER NOT NULL,
  token ANY NOT NULL, -- as it is kept from now on
  rank INTEGER NOT NULL, -- of those with this token; 1: goes on
  alias TEXT
) STRICT;
INSERT INTO spelled
  WITH other AS MATERIALIZED (
    SELECT d.application, d.id, c.token FROM device d CROSS JOIN token_case c ON c.written = d.token WHERE d.platform = 0),
  each AS (
    SELECT id, application, token FROM other
    UNION
    SELECT d.id, d.application, d.token FROM other o
    JOIN device d ON d.application = o.application AND d.platform = 0 AND d.token = o.token)
  SELECT e.id, e.application, e.token,
    row_number() OVER (PARTITION BY e.application, e.token ORDER BY d.state <> 0, d.seen_at DESC, d.id DESC), d.alias
  FROM each e JOIN device d ON d.id = e.id;
CREATE INDEX spelled_by_token ON spelled (application, token, rank);

-- What the one that goes on has not, the next one has: its labels as far as there is room for them.
INSERT OR IGNORE INTO device_label (label, device)
  SELECT x.label, w.id FROM spelled w
  JOIN spelled s ON s.application = w.application AND s.token = w.token AND s.rank = 2
  JOIN device_label x ON x.device = s.id
  WHERE w.rank = 1 AND (SELECT count(*) FROM device_label WHERE device IN (w.id, s.id)) <= 100;
UPDATE device SET
    user = coalesce(device.user, twin.user),
    timezone = coalesce(device.timezone, twin.timezone),
    locale = coalesce(device.locale, twin.locale),
    cell = CASE WHEN device.lat IS NULL THEN twin.cell ELSE device.cell END,
    lat = CASE WHEN device.lat IS NULL THEN twin.lat ELSE device.lat END,
    lng = CASE WHEN device.lat IS NULL THEN twin.lng ELSE device.lng END,
    registered_at = min(device.registered_at, twin.registered_at)
  FROM (
    SELECT w.id AS winner, d.* FROM spelled w
    JOIN spelled s ON s.application = w.application AND s.token = w.token AND s.rank = 2
    JOIN device d ON d.id = s.id
    WHERE w.rank = 1) twin
  WHERE device.id = twin.winner;
DELETE FROM device WHERE id IN (SELECT id FROM spelled WHERE rank > 1);
UPDATE device SET alias = (
    SELECT s.alias FROM spelled w
    JOIN spelled s ON s.application = w.application AND s.token = w.token AND s.rank > 1 AND s.alias IS NOT NULL
    WHERE w.id = device.id ORDER BY s.rank LIMIT 1)
  WHERE alias IS NULL AND state = 0 AND id IN (SELECT id FROM spelled WHERE rank = 1);
UPDATE device SET token = spelled.token FROM spelled WHERE spelled.id = device.id;
DROP TABLE spelled;

-- What gateways have said of them: the latest word stays.
INSERT INTO feedback (application, platform, token, reason, at)
  SELECT f.application, f.platform, c.token, f.reason, f.at
  FROM feedback f CROSS JOIN token_case c ON c.written = f.token
  WHERE f.platform = 0
  ON CONFLICT (application, platform, token) DO UPDATE SET reason = excluded.reason, at = excluded.at
    WHERE excluded.at > feedback.at;
DELETE FROM feedback WHERE platform = 0 AND token IN (SELECT written FROM token_case);
UPDATE OR REPLACE adopted_token SET token = (SELECT token FROM token_case WHERE written = adopted_token.token)
  WHERE platform = 0 AND token IN (SELECT written FROM token_case);
DROP TABLE token_case;
