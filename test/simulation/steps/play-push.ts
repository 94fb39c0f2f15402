import { MINUTE_MS } from '../../../src/clock.ts'
import type { Phone } from '../judge/phones.ts'
import type { Push } from '../judge/pushes.ts'
import type { Answer } from '../world/service.ts'
import type { World } from '../world/world.ts'
import { PLACES, RADIUS_KM } from './step.ts'
import type { PushStep, Target } from './step.ts'

export async function sendPush(world: World, step: PushStep): Promise<void> {
  const { judge, clock } = world
  const number = judge.pushes.length
  const target = step.to.kind === 'one' ? judge.phones.at(step.to.phone) : null
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
      msg: `push ${number}`,
      sound: 'default',
      badge: step.badge,
      payload: { n: number },
      ...(step.ttl !== null && { ttl: step.ttl }),
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
    owed: new Set(step.when.kind === 'local' ? [] : phones.filter((phone) => isOwed(step.to, phone))),
    barred: new Set(phones.filter((phone) => isSure(phone) && isAddressed(step.to, phone) === false)),
    sends: new Map(),
    end: null,
    opens: { asked: 0, by: new Map() },
  }
  judge.pushes.push(push)
  await ask(world, push)
}

/** The same call with the same key. */
export async function sendAgain(world: World, push: Push): Promise<void> {
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
  const isNobody = status === 404 && target !== null && target.state !== 'present'
  // Asked twice, it may have found nobody the one time, and somebody the other.
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
    case 'one':
      return { platform: String(phone?.platform), token: phone?.token }
  }
}

/** Whether a phone is certain to be in the audience of a push that is asked for now. */
function isOwed(to: Target, phone: Phone): boolean {
  return isSure(phone) && isAddressed(to, phone) === true
}

/** Whether it is certain what is registered of a phone. */
function isSure({ state, calls }: Phone): boolean {
  return state === 'present' && calls === 0
}

/** Whether a phone is in an audience; `null`: that is not known. */
function isAddressed(to: Target, { tags, place, number }: Phone): boolean | null {
  switch (to.kind) {
    case 'all':
      return true
    case 'tag':
      return tags?.has(to.tag) ?? null
    case 'any':
      return tags && to.tags.some((tag) => tags.has(tag))
    case 'near':
      return place === 'unknown' ? null : place === to.place
    case 'one':
      return to.phone === number
  }
}
