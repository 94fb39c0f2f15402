-- Whether every call needs the secret, also those that an app makes with the application id alone.
ALTER TABLE application ADD COLUMN secret_everywhere INTEGER NOT NULL DEFAULT 0 CHECK (secret_everywhere IN (0, 1));
