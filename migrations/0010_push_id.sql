-- Whether the payload of a push carries the push's id, for the app to report the open with.
ALTER TABLE application ADD COLUMN push_id INTEGER NOT NULL DEFAULT 1 CHECK (push_id IN (0, 1));
