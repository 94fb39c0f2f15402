-- The version of the app that runs on a device, as the app says it; NULL not known.
ALTER TABLE device ADD COLUMN app_version TEXT;
