-- How far the ids of devices had come when each day was first looked at: how many registered on it, without an index by that
-- time, or a statement with each registration.
CREATE TABLE registry_day (
  day INTEGER PRIMARY KEY, -- days since the Unix epoch, UTC
  ceiling INTEGER NOT NULL -- the highest device.id of then
) STRICT;
