-- The audit log: also where something was done from, what it changed, and how it ended.
ALTER TABLE admin_log ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- network address, or terminal; '' for not known
ALTER TABLE admin_log ADD COLUMN command TEXT NOT NULL DEFAULT ''; -- command line without secrets, texts and users; '' for none
ALTER TABLE admin_log ADD COLUMN changes TEXT NOT NULL DEFAULT '{}'; -- JSON: name of a setting → before and after; no secret
-- started: a change was committed, and its end is not known yet
ALTER TABLE admin_log ADD COLUMN result TEXT NOT NULL DEFAULT 'ok' CHECK (result IN ('started', 'ok', 'refused', 'failed'));
ALTER TABLE admin_log ADD COLUMN code TEXT NOT NULL DEFAULT ''; -- why not ok: "ConflictError", "exit 1"
-- An entry is closed once; after that it stays.
DROP TRIGGER admin_log_stays;
CREATE TRIGGER admin_log_stays BEFORE UPDATE ON admin_log
WHEN OLD.result <> 'started' OR NEW.result = 'started'
  OR (NEW.number, NEW.at, NEW.who, NEW.origin, NEW.action, NEW.command)
    IS NOT (OLD.number, OLD.at, OLD.who, OLD.origin, OLD.action, OLD.command)
BEGIN
  SELECT raise(ABORT, 'what was done stays as it was written down');
END;
-- For entries of one action, the newest first.
CREATE INDEX admin_log_by_action ON admin_log (action, number);
