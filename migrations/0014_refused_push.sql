-- Why the gateway refuses the push itself, for everybody, as it says; NULL where it does not. Who was not sent to has failed
-- for it.
ALTER TABLE delivery ADD COLUMN refused TEXT;
