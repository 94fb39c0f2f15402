-- Where a device is in the day: an IANA name such as Europe/Berlin; NULL not known.
ALTER TABLE device ADD COLUMN timezone TEXT;
