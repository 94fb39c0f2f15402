// The yardstick of registrations: a route that takes and gives what PUT /deviceToken does, without admission and without
// a database. Prints its address.
import { Elysia } from 'elysia'
import { REGISTRATION } from '../setup/registration-body.ts'

const app = new Elysia()
  .put('/deviceToken', ({ body, status }) => status(201, body), { body: REGISTRATION })
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`http://127.0.0.1:${app.server?.port}`)
