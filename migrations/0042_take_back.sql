-- Whose notifications a push removes from the screens: push.number of an earlier one; 0: those of one user's other
-- devices, which nobody lists; NULL: it removes none. Without a key: the earlier one may be erased.
ALTER TABLE push ADD COLUMN takes_back INTEGER;
CREATE UNIQUE INDEX push_by_takes_back ON push (takes_back) WHERE takes_back > 0;
