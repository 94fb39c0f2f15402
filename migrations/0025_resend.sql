-- A push that goes out once more, to those whom an earlier one has failed for. Without a key: the earlier one may be erased.
ALTER TABLE push ADD COLUMN resend_of INTEGER; -- push.number of the earlier one; NULL: it is a new one
CREATE INDEX push_by_resend_of ON push (resend_of) WHERE resend_of IS NOT NULL;
