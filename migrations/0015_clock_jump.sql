-- Jumps of the clock that the times to live of what is open have not all followed yet: they do so in steps.
CREATE TABLE clock_jump (
  number INTEGER PRIMARY KEY,
  by_ms INTEGER NOT NULL, -- negative: back
  since INTEGER NOT NULL, -- ms; what was accepted since then, and until `until`, came after it
  until INTEGER NOT NULL, -- ms
  reached TEXT -- JSON: up to where open deliveries have followed, as the index delivery_expiring orders them; NULL: none
) STRICT;
