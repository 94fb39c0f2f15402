import { Elysia } from 'elysia'
import type { SecondFactorStore } from '../../account/second-factor-store.ts'
import { failure, Refused } from '../../failure.ts'
import { adminCall } from '../admin-endpoint.ts'
import { DoneAnswer } from '../api-types/administrator-types.ts'
import { RecoveryCodesAnswer, SecondFactorAnswer, SecondFactorBegunAnswer } from '../api-types/session-types.ts'
import { GivenCode } from '../admin-schema.ts'
import type { Actor } from '../administrator.ts'
import type { Change } from '../audited-calls.ts'
import { tooManyCodes, WRONG_CODE } from '../session/second-step.ts'
import type { SecondSteps } from '../session/second-step.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly secondFactors: SecondFactorStore
  readonly secondSteps: SecondSteps
}

export function secondFactorRoutes({ gate, secondFactors, secondSteps }: Dependencies) {
  async function proven<T>(change: Change, owner: Owner, code: string, work: () => T): Promise<T> {
    const done = await change('', () => {
      if (!secondFactors.isOn(owner)) return { kind: 'off' } as const
      const outcome = secondSteps.check(owner, code)
      // A wrong code is logged as a refused call.
      if (outcome.kind !== 'right') return outcome
      return { kind: 'done', result: work() } as const
    })
    if (done.kind === 'off') throw new Refused(failure('ConflictError', 'You have no second factor.'))
    if (done.kind === 'wait') throw new Refused(tooManyCodes(done.seconds))
    if (done.kind === 'wrong') throw new Refused(WRONG_CODE)
    return done.result
  }

  return new Elysia({ name: 'second-factor-routes' })
    .use(gate)
    .get(
      '/api/second-factor',
      ({ actor }) => {
        const owner = ownerIn(actor)
        return { isOn: secondFactors.isOn(owner), recoveryCodesLeft: secondFactors.codesLeft(owner) }
      },
      adminCall('Session', 'Whether you have a second factor', { answer: SecondFactorAnswer }),
    )
    .post(
      '/api/second-factor',
      async ({ actor, change }) => {
        const owner = ownerIn(actor)
        const begun = await change('', () => secondFactors.begin(owner))
        if (begun === null) {
          throw new Refused(failure('ConflictError', 'You already have a second factor: turn it off first.'))
        }
        const { qrCode } = await import('../../account/qr-code.ts')
        return { ...begun, qr: qrCode(begun.uri) }
      },
      adminCall(
        'Session',
        'Create a secret for an authenticator app. Only this answer contains it; a code turns it on',
        {
          action: 'begin second factor',
          answer: SecondFactorBegunAnswer,
        },
      ),
    )
    .post(
      '/api/second-factor/confirm',
      async ({ actor, change, body: { code } }) => {
        const owner = ownerIn(actor)
        const confirmed = await change('', () => secondFactors.confirm(owner, code))
        if (confirmed === 'absent') {
          throw new Refused(
            failure('ConflictError', 'No second factor is being set up: POST /api/second-factor starts it.'),
          )
        }
        if (confirmed === 'wrong') throw new Refused(WRONG_CODE)
        return { recoveryCodes: confirmed }
      },
      adminCall(
        'Session',
        'Turn the second factor on, with a code of the app. Only this answer contains the recovery codes',
        {
          action: 'turn on second factor',
          answer: RecoveryCodesAnswer,
          body: GivenCode,
        },
      ),
    )
    .post(
      '/api/second-factor/recovery-codes',
      async ({ actor, change, body: { code } }) => {
        const owner = ownerIn(actor)
        return { recoveryCodes: await proven(change, owner, code, () => secondFactors.renewCodes(owner)) }
      },
      adminCall('Session', 'Create recovery codes; the old ones stop working', {
        action: 'make recovery codes',
        answer: RecoveryCodesAnswer,
        body: GivenCode,
      }),
    )
    .delete(
      '/api/second-factor',
      async ({ actor, change, body: { code } }) => {
        const owner = ownerIn(actor)
        await proven(change, owner, code, () => secondFactors.remove(owner))
        return { message: 'Second factor turned off' }
      },
      adminCall('Session', 'Turn the second factor off, with a code or a recovery code', {
        action: 'turn off second factor',
        answer: DoneAnswer,
        body: GivenCode,
      }),
    )
}

type Owner = Extract<Actor, { kind: 'administrator' }>

function ownerIn(actor: Actor | null): Owner {
  if (actor?.kind === 'administrator') return actor
  throw new Refused(failure('InvalidArgument', 'A token has no second factor.'))
}
