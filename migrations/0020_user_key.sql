-- Whether a user or alias that an app says of its device must be proven.
ALTER TABLE application ADD COLUMN verify_users INTEGER NOT NULL DEFAULT 0 CHECK (verify_users IN (0, 1));

-- What proofs of users are made with.
CREATE TABLE user_key (
  application INTEGER PRIMARY KEY REFERENCES application (number) ON DELETE CASCADE,
  sealed BLOB NOT NULL, -- a JSON array: the key, and the one before it where there is one
  previous_until INTEGER, -- until when the one before counts, ms since the Unix epoch; NULL: it does not
  created_at INTEGER NOT NULL -- when the key was made, ms since the Unix epoch
) STRICT;
