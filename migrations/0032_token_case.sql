-- Apple's tokens are hex, and are the same in upper and lower case; from now on they are kept in lower case. Those that are
-- not become so, and of several devices that only the case kept apart one goes on: a registered one, the one seen last.
CREATE TABLE spelled (
  id INTEGER PRIMARY KEY, -- device.id
  application INTEGER NOT NULL,
  token ANY NOT NULL, -- as it is kept from now on
  rank INTEGER NOT NULL, -- of those with this token; 1: goes on
  alias TEXT
) STRICT;
INSERT INTO spelled
  WITH other AS MATERIALIZED (
    SELECT application, id, CASE length(token) % 2 WHEN 0 THEN unhex(token) ELSE lower(token) END AS token FROM device
    WHERE platform = 0 AND typeof(token) = 'text' AND length(token) BETWEEN 64 AND 200
      AND token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*'),
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
  SELECT application, platform, CASE length(token) % 2 WHEN 0 THEN unhex(token) ELSE lower(token) END, reason, at
  FROM feedback
  WHERE platform = 0 AND typeof(token) = 'text' AND length(token) BETWEEN 64 AND 200
    AND token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*'
  ON CONFLICT (application, platform, token) DO UPDATE SET reason = excluded.reason, at = excluded.at
    WHERE excluded.at > feedback.at;
DELETE FROM feedback
  WHERE platform = 0 AND typeof(token) = 'text' AND length(token) BETWEEN 64 AND 200
    AND token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*';
UPDATE OR REPLACE adopted_token SET token = CASE length(token) % 2 WHEN 0 THEN unhex(token) ELSE lower(token) END
  WHERE platform = 0 AND typeof(token) = 'text' AND length(token) BETWEEN 64 AND 200
    AND token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*';
