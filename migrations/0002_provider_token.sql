-- Whether a gateway has ever taken a notification with this credential: then a token it refuses is the token's fault.
ALTER TABLE credential ADD COLUMN proven_at INTEGER; -- NULL: not yet

-- The APNs provider token in use, so that restarts do not mint one each: Apple refuses new ones more often than every
-- 20 minutes.
CREATE TABLE provider_token (
  application INTEGER PRIMARY KEY REFERENCES application (number) ON DELETE CASCADE,
  sealed BLOB NOT NULL -- as in credential
) STRICT;
