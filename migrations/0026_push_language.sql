-- Which text of a push a device was sent, where the push has several: the tag of a language, or '*' for its own text.
ALTER TABLE push_exception ADD COLUMN language TEXT; -- of the last attempt; NULL: the push has one text

-- How many of a delivery were accepted in each. Who failed in which is counted from push_exception.
CREATE TABLE delivery_language (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  platform INTEGER NOT NULL CHECK (platform BETWEEN 0 AND 2),
  language TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  PRIMARY KEY (push, platform, language)
) STRICT, WITHOUT ROWID;

-- What was said of a push, by the text that the device gets.
CREATE TABLE push_receipt_new (
  push INTEGER NOT NULL REFERENCES push (number) ON DELETE CASCADE,
  event INTEGER NOT NULL CHECK (event BETWEEN 0 AND 2), -- as in receipt
  action TEXT NOT NULL DEFAULT '', -- a few names for each push, and 'other' for further ones
  language TEXT NOT NULL DEFAULT '', -- as above; '': the push has one text, or nobody knows which device it was
  count INTEGER NOT NULL,
  PRIMARY KEY (push, event, action, language)
) STRICT, WITHOUT ROWID;
INSERT INTO push_receipt_new (push, event, action, count)
  SELECT push, event, action, count FROM push_receipt ORDER BY push, event, action;
DROP TABLE push_receipt;
ALTER TABLE push_receipt_new RENAME TO push_receipt;
