// For comparison with registrations: an Elysia route that validates and echoes the body of PUT /deviceToken, without
// admission and database. Prints its address.
import { Elysia, t } from 'elysia'

const REGISTRATION = t.Object({
  token: t.String(),
  platform: t.String(),
  tag: t.Array(t.String()),
  alias: t.String(),
})

const app = new Elysia()
  .put('/deviceToken', ({ body, status }) => status(201, body), { body: REGISTRATION })
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`http://127.0.0.1:${app.server?.port}`)
