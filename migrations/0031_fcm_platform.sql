-- What stands behind a token of FCM: 0 Android, 1 iOS; NULL not said, or another platform.
ALTER TABLE device ADD COLUMN fcm_platform INTEGER;
