-- Where a name first came from, if a call without the secret brought it: a /24 of IPv4, a /48 of IPv6. NULL: the backend,
-- an import, or before this column.
ALTER TABLE label ADD COLUMN network TEXT;

-- How many of the names that are there each network has brought, kept by triggers: it may bring only a share of the limit.
CREATE TABLE label_network (
  application INTEGER NOT NULL REFERENCES application (number) ON DELETE CASCADE,
  network TEXT NOT NULL, -- as in label
  labels INTEGER NOT NULL,
  PRIMARY KEY (application, network)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER label_brought AFTER INSERT ON label WHEN new.network IS NOT NULL BEGIN
  INSERT INTO label_network (application, network, labels) VALUES (new.application, new.network, 1)
    ON CONFLICT DO UPDATE SET labels = labels + 1;
END;
CREATE TRIGGER label_brought_erased AFTER DELETE ON label WHEN old.network IS NOT NULL BEGIN
  UPDATE label_network SET labels = labels - 1 WHERE application = old.application AND network = old.network;
  DELETE FROM label_network WHERE application = old.application AND network = old.network AND labels = 0;
END;
