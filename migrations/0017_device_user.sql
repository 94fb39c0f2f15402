-- Whose device it is, as the app says; a user may have several. NULL: not said.
ALTER TABLE device ADD COLUMN user TEXT;
-- All that a push to users looks at before the devices themselves. A device without a user costs nothing here.
CREATE INDEX device_by_user ON device (application, user, platform, state) WHERE user IS NOT NULL;
