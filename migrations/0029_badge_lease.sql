-- Devices whose badge a push has changed, a page at a time, until that page is settled: after a crash it is read again,
-- and changes none of them a second time.
CREATE TABLE badge_lease (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL,
  last INTEGER NOT NULL, -- the highest of these device ids: no device is in two rows of a push
  first INTEGER NOT NULL, -- the lowest
  devices TEXT NOT NULL, -- JSON: device ids
  PRIMARY KEY (push, platform, last)
) STRICT, WITHOUT ROWID;

-- Until now a badge counted when it was accepted. Whoever waits for another attempt was sent to, and counts now.
UPDATE device SET badge = waits.badge FROM (
    SELECT e.device, max(p.number), json_extract(p.notification, '$.badge.set') AS badge
    FROM push_exception e CROSS JOIN push p ON p.number = e.push
    WHERE e.state IN ('retry', 'leased')
      AND CASE WHEN json_valid(p.notification) THEN json_extract(p.notification, '$.badge.set') END IS NOT NULL
    GROUP BY e.device) waits
  WHERE device.id = waits.device;
UPDATE device SET badge = min(max(badge + waits.more, 0), 2147483647) FROM (
    SELECT e.device, sum(json_extract(p.notification, '$.badge.add')) AS more
    FROM push_exception e CROSS JOIN push p ON p.number = e.push
    WHERE e.state IN ('retry', 'leased')
      AND CASE WHEN json_valid(p.notification) THEN json_extract(p.notification, '$.badge.add') END IS NOT NULL
    GROUP BY e.device) waits
  WHERE device.id = waits.device;
