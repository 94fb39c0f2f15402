-- Where a device is in the day: an IANA name such as Europe/Berlin; NULL not known.
ALTER TABLE device ADD COLUMN timezone TEXT;

-- Which devices are about where: cells of a quarter of a degree, numbered as src/device/place.ts does.
ALTER TABLE device ADD COLUMN cell INTEGER; -- NULL where lat and lng are
UPDATE device SET cell = CAST((lat + 90) * 4 AS INTEGER) * 1441 + CAST((lng + 180) * 4 AS INTEGER)
WHERE lat IS NOT NULL;
-- Ends in the row id, as device_reach does. A device without a place costs nothing here.
CREATE INDEX device_by_cell ON device (application, platform, cell) WHERE state = 0 AND cell IS NOT NULL;
