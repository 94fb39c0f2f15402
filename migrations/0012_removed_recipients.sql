-- Who was addressed is reached, or failed for, when a delivery is over: also who was removed before it was sent to.
ALTER TABLE delivery ADD COLUMN removed INTEGER NOT NULL DEFAULT 0; -- of those that failed
UPDATE delivery SET failed = addressed - accepted,
  removed = iif((SELECT cancelled_at FROM push WHERE number = delivery.push) IS NULL, addressed - accepted - failed, 0)
WHERE finished_at IS NOT NULL AND addressed > accepted + failed;
