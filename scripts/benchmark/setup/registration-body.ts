import { t } from 'elysia'

/** What the two plain routes that PUT /deviceToken is held against check. */
export const REGISTRATION = t.Object({
  token: t.String(),
  platform: t.String(),
  tag: t.Array(t.String()),
  alias: t.String(),
})
