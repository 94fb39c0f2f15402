// The yardstick of register.ts: a route of the same schema, without admission and without a database.
import { Elysia, t } from 'elysia'

const app = new Elysia()
  .put('/deviceToken', ({ body, status }) => status(201, body), {
    body: t.Object({ token: t.String(), platform: t.String(), tag: t.Array(t.String()), alias: t.String() }),
  })
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`http://127.0.0.1:${app.server?.port}`)
