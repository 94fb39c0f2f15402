import { MINUTE_MS } from '../../../src/clock.ts'
import type { Phone } from '../judge/phones.ts'
import type { Report } from '../judge/report-checks.ts'
import { textOf } from '../judge/text-checks.ts'
import { momentIn } from '../judge/pushes.ts'
import type { Push } from '../judge/pushes.ts'
import type { Answer } from '../world/service.ts'
import type { World } from '../world/world.ts'
import { LANGUAGES, PLACES, RADIUS_KM } from './step.ts'
import type { PushStep, Target } from './step.ts'

/** How late a local time may be: an hour, minus the time until acceptance. */
const LATE_MS = 55 * MINUTE_MS

export async function sendPush(world: World, step: PushStep): Promise<void> {
  const { judge, clock } = world
  const number = judge.pushes.length
  const target = step.to.kind === 'one' ? judge.phones.at(step.to.phone) : null
  // Its token is unknown.
  if (target !== null && target.tokenBefore !== null) return
  const wall =
    step.when.kind === 'local' ? new Date(clock.now() + step.when.minutes * MINUTE_MS).toISOString().slice(0, 16) : null
  const when = step.when.kind === 'in' ? { send_at: step.when.seconds } : wall === null ? {} : { send_at_local: wall }
  const application = target?.application ?? step.by ?? 0
  const phones = judge.phones.all().filter((phone) => phone.application === application)
  const push: Push = {
    number,
    application,
    step,
    path: target === null ? '/push/all' : '/push/one',
    body: {
      msg: textOf(number, ''),
      sound: 'default',
      badge: step.badge,
      payload: { n: number },
      ...(step.ttl !== null && { ttl: step.ttl }),
      ...(step.collapse !== undefined && { collapse: step.collapse }),
      ...(step.translated && {
        languages: Object.fromEntries(LANGUAGES.map((tag) => [tag, { msg: textOf(number, tag) }])),
      }),
      ...when,
      ...audienceOf(step.to, target, phones),
    },
    key: step.keyed ? `key-${number}` : null,
    askedAt: clock.passedMs,
    askedOn: clock.now(),
    wall,
    state: 'asked',
    id: null,
    cancel: 'no',
    mayExpire: step.ttl !== null,
    owed: new Set(phones.filter((phone) => isOwed(step.to, phone) && isToCome(wall, phone, clock.now()))),
    barred: new Set(phones.filter((phone) => isSure(phone) && isAddressed(step.to, phone) === false)),
    sends: new Map(),
    end: null,
    resendOf: null,
    heldMs: step.to.kind === 'one' || application !== 0 ? 0 : judge.heldMs,
  }
  judge.pushes.push(push)
  await ask(world, push)
}

/** Repeats a call with its key. */
export async function sendAgain(world: World, push: Push): Promise<void> {
  const { to } = push.step
  // The token in the call may be outdated.
  if (to.kind === 'one' && world.judge.phones.at(to.phone).movedAt >= push.askedAt) return
  if (push.key !== null && push.state !== 'refused') await ask(world, push)
}

async function ask(world: World, push: Push): Promise<void> {
  const { path, body, key, application } = push
  await world.call({
    by: application,
    method: 'POST',
    path,
    body,
    ...(key !== null && { headers: { 'idempotency-key': key } }),
    onAnswer: (answer) => answered(world, push, answer),
    onLost() {
      if (push.state === 'asked') push.state = 'lost'
    },
  })
}

function answered({ judge }: World, push: Push, { status, body }: Answer): void {
  const { step, number } = push
  if (status === 200) {
    judge.expect(
      push.id === null || push.id === body.id,
      'key-is-one-push',
      () => `push ${number} was ${push.id}, and asked again ${body.id}`,
    )
    push.state = 'accepted'
    push.id = body.id
    return
  }
  const target = step.to.kind === 'one' ? judge.phones.at(step.to.phone) : null
  const isNobody =
    status === 404 && target !== null && (target.state !== 'present' || judge.phones.mayBeErasing(target))
  // One of two calls may have found nobody.
  const hasChanged = target !== null && target.changedAt >= push.askedAt
  const isLate = status === 400 && step.when.kind === 'local'
  judge.expect(
    hasChanged || ((isNobody || isLate) && push.id === null),
    'answers-as-expected',
    () => `push ${number}: ${status} ${JSON.stringify(body)}`,
  )
  if (push.id === null) push.state = 'refused'
}

function audienceOf(to: Target, phone: Phone | null, phones: readonly Phone[]): object {
  switch (to.kind) {
    case 'all':
      return { platform: ['0', '1', ...(phones.some(({ platform }) => platform === 2) ? ['2'] : [])] }
    case 'tag':
      return { tags: [to.tag] }
    case 'any':
      return { where: { any: to.tags.map((tag) => ({ tag })) } }
    case 'near':
      return { near: { ...PLACES[to.place], radius_km: RADIUS_KM } }
    case 'user':
      return { users: [to.user] }
    case 'one':
      return { platform: String(phone?.platform), token: phone?.token }
  }
}

/** Whether a phone's clock certainly shows `wall` later, or did so recently enough. */
function isToCome(wall: string | null, { zone }: Phone, now: number): boolean {
  return wall === null || (zone !== null && momentIn(wall, zone) > now - LATE_MS)
}

/** Whether a phone is certainly in the audience now. */
export function isOwed(to: Target, phone: Phone): boolean {
  return isSure(phone) && isAddressed(to, phone) === true
}

/** Whether a phone's registration is certain. */
function isSure({ state, calls }: Phone): boolean {
  return state === 'present' && calls === 0
}

/** `null`: unknown. */
export function isAddressed(to: Target, { tags, place, user, number }: Phone): boolean | null {
  switch (to.kind) {
    case 'all':
      return true
    case 'tag':
      return tags?.has(to.tag) ?? null
    case 'any':
      return tags && to.tags.some((tag) => tags.has(tag))
    case 'near':
      return place === 'unknown' ? null : place === to.place
    case 'user':
      return user === null ? null : user === to.user
    case 'one':
      return to.phone === number
  }
}

export async function cancel(world: World, push: Push): Promise<void> {
  if (push.id === null || push.cancel === 'asked') return
  const { judge } = world
  const before = push.cancel
  push.cancel = 'asked'
  await world.call({
    by: push.application,
    method: 'POST',
    path: `/push/${push.id}/cancel`,
    onAnswer({ status }) {
      judge.expect(
        status === 200 || (status === 409 && before === 'no'),
        'answers-as-expected',
        () => `cancellation of push ${push.number}: ${status}`,
      )
      push.cancel = status === 200 ? 'done' : before
    },
    onLost: () => void (push.cancel = before === 'done' ? 'done' : 'asked'),
  })
}

/** Buttons are reported twice, as by an app without an answer. */
export async function report(world: World, push: Push, phone: Phone, what: Report): Promise<void> {
  const { id, application } = push
  if (id === null || phone.application !== application) return
  const { event, action } = what
  for (let n = 0; n < (action === '' ? 1 : 2); n++) {
    const taken = world.judge.reports(push, phone, what)
    await world.call({
      by: application,
      method: 'PUT',
      path: '/stats',
      body: {
        platform: String(phone.platform),
        id,
        token: phone.token,
        ...(event !== 'opened' && { event }),
        ...(action !== '' && { action }),
      },
      onAnswer({ status }) {
        world.judge.expect(status === 200, 'answers-as-expected', () => `${event} of push ${push.number}: ${status}`)
        taken()
      },
    })
  }
}

/** The push must exist, and its numbers must add up. */
export async function look(world: World, push: Push): Promise<void> {
  const { id, application } = push
  if (id === null) return
  await world.call({
    by: application,
    method: 'GET',
    path: `/push/${id}`,
    onAnswer: ({ status, body }) => world.judge.saw(push, status, body),
  })
}
