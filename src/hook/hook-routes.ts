import { timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { Application } from '../application/application.ts'
import { hashSecret } from '../application/secret.ts'
import type { Clock } from '../clock.ts'
import { Refused } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { ADMITS_ITSELF } from '../http/gate.ts'
import type { Gate } from '../http/gate.ts'
import type { HookStore } from './hook-store.ts'
import { SIGNATURES } from './sender-proof.ts'
import type { createTakeEvent } from './take-event.ts'

export interface HookAdmission {
  /** Answers a call from `address` that lacks the right proof. */
  readonly wrong: (address: string, sentence: string) => Failure
  /** Counts the call against the application's limits. */
  readonly charge: (application: Application) => { readonly why: Failure } | object
}

interface Dependencies {
  readonly gate: Pick<Gate, 'plugin' | 'addressOf'>
  readonly clock: Pick<Clock, 'now'>
  readonly directory: Pick<ApplicationDirectory, 'byNumber' | 'refresh'>
  readonly hooks: Pick<HookStore, 'find' | 'proofOf'>
  readonly admission: HookAdmission
  readonly takeEvent: ReturnType<typeof createTakeEvent>
}

const UNKNOWN = 'There is no such hook, or its key is wrong.'

/** Compared for unknown hooks, so that they take as long as a wrong key. */
const NO_HASH = new Uint8Array(32)

interface HookCallRequest {
  readonly request: Request
  readonly body: unknown
  readonly name: string
  /** The key in the path, if any. */
  readonly key: string | null
}

/** Other services report events here. A key or signature proves the sender; the template limits what it can do. */
export function hookRoutes({ gate, clock, directory, hooks, admission, takeEvent }: Dependencies) {
  const hidden = { detail: { hide: true, [ADMITS_ITSELF]: true } }
  return new Elysia({ name: 'hook-routes' })
    .use(gate.plugin)
    .post('/hook/:name', ({ request, params, body }) => answer({ request, body, name: params.name, key: null }), hidden)
    .post(
      '/hook/:name/:key',
      ({ request, params, body }) => answer({ request, body, name: params.name, key: params.key }),
      hidden,
    )

  async function answer({ request, body, name, key }: HookCallRequest) {
    const { headers } = request
    const bytes = body as Uint8Array
    const problem = proofProblem(name, key ?? bearerOf(headers), headers, bytes)
    if (problem !== null) throw new Refused(admission.wrong(gate.addressOf(request), problem))
    const hook = hooks.find(name)
    // A command may have just created the application.
    if (hook !== null && directory.byNumber(hook.application) === null) directory.refresh()
    const application = hook && directory.byNumber(hook.application)
    // Removed while the body arrived.
    if (hook === null || application === null) throw new Refused(admission.wrong(gate.addressOf(request), UNKNOWN))
    const charged = admission.charge(application)
    if ('why' in charged) throw new Refused(charged.why)
    const taken = await takeEvent(application, hook, { body: bytes, headers })
    if (taken.kind === 'refused') throw new Refused(taken.why)
    return taken.kind === 'pushed' ? taken.accepted : { message: 'Ignored', why: taken.why }
  }

  function proofProblem(name: string, key: string | null, headers: Headers, body: Uint8Array): string | null {
    const proof = hooks.proofOf(name)
    if (proof?.kind === 'signature') {
      return SIGNATURES[proof.signature].problem({ headers, body, now: clock.now() }, proof.secret)
    }
    const isRight = timingSafeEqual(hashSecret(key ?? ''), proof?.hash ?? NO_HASH)
    return isRight && proof !== null ? null : UNKNOWN
  }
}

/** RFC 6750, 2.1. */
function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}
