import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { refusalIn } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { jsonObjectOf } from '../http/body.ts'
import type { PushRequest } from '../push/accept.ts'
import type { createPushToAll } from '../push/push-to-all.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook, HookOutcome } from './hook.ts'
import { pushOfEvent } from './push-of-event.ts'

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly commit: Commit
  readonly hooks: Pick<HookStore, 'calls'>
  readonly pushToAll: ReturnType<typeof createPushToAll>
}

export type Taken =
  | { readonly kind: 'pushed'; readonly accepted: Awaited<ReturnType<ReturnType<typeof createPushToAll>>> }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: Failure }

interface HookCallContent {
  readonly body: Uint8Array
  readonly headers: Headers
}

/** Turns an event into a push, once, and records the outcome. */
export function createTakeEvent({ clock, commit, hooks, pushToAll }: Dependencies) {
  return async (application: Application, hook: Hook, content: HookCallContent): Promise<Taken> => {
    const taken = await take(application, hook, content)
    const [outcome, detail] = noted(taken)
    await commit(() => hooks.calls.note(hook.number, outcome, detail, clock.now()))
    return taken
  }

  async function take(application: Application, hook: Hook, { body, headers }: HookCallContent): Promise<Taken> {
    try {
      const found = pushOfEvent(hook, { body: jsonObjectOf(body, headers), header: (name) => headers.get(name) })
      if (found.kind !== 'push') return found
      const repeat = found.event === null ? null : repeatOf(hook, found.event)
      return { kind: 'pushed', accepted: await pushToAll(application, found.push, { repeat }) }
    } catch (error) {
      return { kind: 'refused', why: refusalIn(error) }
    }
  }
}

/**
 * The space separates these keys from callers' idempotency keys. Only the key is hashed: a repeated event may carry
 * another time.
 */
function repeatOf({ name }: Hook, event: string): PushRequest['repeat'] {
  const key = `hook ${name} ${new Bun.CryptoHasher('sha256').update(event).digest('hex')}`
  return { key, digest: new Bun.CryptoHasher('sha256').update(key).digest(), replace: false }
}

/** Quotes nothing of the event. */
function noted(taken: Taken): readonly [HookOutcome, string] {
  if (taken.kind === 'pushed') return ['pushed', taken.accepted.id]
  if (taken.kind === 'ignored') return ['ignored', taken.why]
  return ['refused', taken.why.logged ?? taken.why.message]
}
