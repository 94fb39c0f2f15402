import { Elysia } from 'elysia'
import { count, objectSchema, text } from '../../http/answer-schema.ts'
import type { Audited, Gate } from '../../http/gate.ts'
import { described } from '../../http/endpoint.ts'
import { ForgetUser } from '../device-schema.ts'

interface Dependencies {
  readonly gate: Gate
  readonly audited: Audited
  /** Returns the number of erased devices. `application`: its number. */
  readonly eraseUser: (application: number, user: string) => Promise<number>
}

const ERASED = objectSchema('UserErased', {
  message: text('"User erased".', 'User erased'),
  devices: count('Devices erased now.', 2),
})

export function userRoutes({ gate, audited, eraseUser }: Dependencies) {
  return new Elysia({ name: 'user-routes' }).use(gate.plugin).put(
    '/user/del',
    async ({ body, application, request }) => {
      const call = { application, request, action: 'erase user' }
      const devices = await audited(call, () => eraseUser(application.number, body.user))
      return { message: 'User erased', devices }
    },
    described({
      tag: 'Devices',
      summary: 'Erase a user',
      description:
        'Erases every device of the user, registered or not, and what is stored about it: labels, what gateways have said of its token, what it opened, that a push failed for it, webhook events about it that are not delivered, and user, alias and device where a push names its target. Counts stay. Also 200 where the user has none.',
      secret: true,
      body: ForgetUser,
      example: { user: 'ann@shop.example' },
      answers: {
        200: { description: 'Erased.', schema: ERASED },
      },
      failures: { 409: 'MissingParameter' },
    }),
  )
}
