-- The secret before the last one, for as long as backends may still send it.
ALTER TABLE application ADD COLUMN previous_secret_hash BLOB; -- SHA-256; NULL: there is none
ALTER TABLE application ADD COLUMN previous_until INTEGER; -- ms since the Unix epoch
