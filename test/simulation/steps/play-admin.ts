import type { Gateway } from '../world/answer-tables.ts'
import { lastWord } from '../judge/pushes.ts'
import type { Push } from '../judge/pushes.ts'
import type { Phone } from '../judge/phones.ts'
import type { Whose } from '../world/gateways.ts'
import type { World } from '../world/world.ts'
import { isAddressed, isOwed } from './play-push.ts'

/* An administrator's actions. Rare, since the first call creates the admin API in 25 ms. */

/** Replaces an application's credential for a gateway by the other one. */
export async function putCredential(world: World, application: Whose, gateway: Gateway): Promise<void> {
  const { judge } = world
  const other = world.otherCredential(application, gateway)
  if (other === null) return
  const { number, credential } = other
  judge.replacing(application, gateway, number)
  await world.call({
    by: 'administrator',
    method: 'PUT',
    path: `/api/applications/${world.tenants[application].id}/credentials/${gateway}`,
    body: credential.fields,
    onAnswer({ status }) {
      judge.expect(status === 200, 'answers-as-expected', () => `a credential for ${gateway}: ${status}`)
      judge.replaced(application, gateway, number)
    },
    // The outcome is unknown, so a command does it.
    onLost: () => world.whenItLives(() => world.putCredential(application, gateway, number)),
  })
}

/** Sets the hold of the first application's pushes to many. */
export async function changeHold(world: World, seconds: number): Promise<void> {
  const { judge } = world
  const ms = seconds * 1000
  judge.heldMs = Math.min(judge.heldMs, ms)
  await world.call({
    by: 'administrator',
    method: 'PATCH',
    path: `/api/applications/${world.tenants[0].id}`,
    body: { holdSeconds: seconds },
    onAnswer({ status }) {
      judge.expect(status === 200, 'answers-as-expected', () => `other limits: ${status}`)
      judge.heldMs = ms
    },
  })
}

export async function changeQuota(world: World, calls: number): Promise<void> {
  const { judge } = world
  const changed = judge.quotaChanges(calls)
  await world.call({
    by: 'administrator',
    method: 'PATCH',
    path: `/api/applications/${world.meteredId}`,
    body: { quota: calls },
    onAnswer({ status }) {
      judge.expect(status === 200, 'answers-as-expected', () => `another quota: ${status}`)
      changed()
    },
  })
}

/** Resends a push to failed devices. */
export async function resend(world: World, before: Push): Promise<void> {
  const { judge, clock } = world
  const { id, step, application, end, cancel } = before
  // By local time each zone has its own audience.
  if (id === null || step.when.kind === 'local') return
  const others = judge.pushes.filter(({ resendOf }) => resendOf === before)
  if (others.some(({ state }) => state === 'asked')) return
  const phones = judge.phones.all().filter((phone) => phone.application === application)
  const push: Push = {
    ...before,
    number: judge.pushes.length,
    path: `/push/${id}/resend`,
    key: null,
    askedAt: clock.passedMs,
    askedOn: clock.now(),
    step: { ...step, when: { kind: 'now' } },
    state: 'asked',
    id: null,
    cancel: 'no',
    mayExpire: step.ttl !== null,
    owed: new Set(end === null ? [] : phones.filter((phone) => hasFailed(before, phone) && isOwed(step.to, phone))),
    barred: new Set(phones.filter((phone) => wasTaken(world, before, phone) || isAddressed(step.to, phone) === false)),
    sends: new Map(),
    end: null,
    resendOf: before,
    heldMs: application === 0 ? judge.heldMs : 0,
  }
  judge.pushes.push(push)
  const isSent = others.some(({ state, cancel }) => state === 'accepted' && cancel === 'no')
  const isOpen = end === null && cancel !== 'done'
  await world.call({
    by: 'administrator',
    method: 'POST',
    path: `/api/pushes/${id}/resend`,
    body: {},
    onAnswer({ status, body }) {
      const isRefused = status === 409
      const mustBe = cancel === 'done' || isSent
      // Perhaps it has failed for nobody who is left.
      const mayBe = mustBe || isOpen || before.cancel !== 'no' || others.length > 0 || push.owed.size === 0
      judge.expect(
        isRefused ? mayBe : status === 200 && !mustBe,
        'answers-as-expected',
        () => `push ${before.number} once more: ${status} ${JSON.stringify(body)}`,
      )
      push.state = isRefused ? 'refused' : 'accepted'
      if (!isRefused) push.id = body.id
    },
    onLost: () => void (push.state = 'lost'),
  })
}

/** Whether a push has certainly failed for an unchanged phone. */
function hasFailed({ sends, askedAt, owed }: Push, phone: Phone): boolean {
  if (phone.changedAt >= askedAt) return false
  const last = sends.get(phone)?.at(-1)
  if (last === undefined) return owed.has(phone)
  return last.answeredAt !== null && last.reply.says === 'bad-push'
}

/** Whether a gateway's acceptance is stored. */
function wasTaken({ judge }: World, { sends, end }: Push, phone: Phone): boolean {
  if (end === null) return false
  const last = lastWord(sends.get(phone) ?? [], phone)
  return last?.reply.says === 'accepted' && judge.course.isWritten(last)
}
