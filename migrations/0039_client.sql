-- The client library that registered a device and its version, such as web/1.2.0; NULL not known.
ALTER TABLE device ADD COLUMN client TEXT;
