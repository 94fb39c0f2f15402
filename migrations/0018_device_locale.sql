-- The language that a device is set to, a BCP 47 tag in canonical form such as pt-BR; NULL not known.
ALTER TABLE device ADD COLUMN locale TEXT;
