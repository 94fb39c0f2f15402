import { MINUTE_MS } from '../../../src/clock.ts'
import type { Phone } from '../judge/phones.ts'
import type { Push } from '../judge/pushes.ts'
import { keysOf } from '../world/browsers.ts'
import type { World } from '../world/world.ts'
import { sendAgain, sendPush } from './play-push.ts'
import { PHONES, PLACES } from './step.ts'
import type { Step } from './step.ts'

/** Does one step in a world. A step that makes no sense there and then does nothing. */
export async function play(world: World, step: Step): Promise<void> {
  const { judge, clock, weather } = world
  await world.revive()
  switch (step.kind) {
    case 'register':
      return register(world, judge.phones.at(step.phone), step)
    case 'unregister':
      return about(world, judge.phones.at(step.phone), {
        path: '/deviceToken/del',
        body: {},
        onDone: (phone) => Object.assign(phone, { state: 'absent', changedAt: clock.passedMs, goneAt: null }),
      })
    case 'tag':
    case 'untag':
      return about(world, judge.phones.at(step.phone), {
        path: step.kind === 'tag' ? '/tag' : '/tag/del',
        body: { tag: step.tag },
        onDone(phone) {
          const tags = new Set(phone.tags)
          if (step.kind === 'tag') tags.add(step.tag)
          else tags.delete(step.tag)
          if (phone.tags !== null) phone.tags = tags
          phone.changedAt = clock.passedMs
        },
      })
    case 'alias':
      return about(world, judge.phones.at(step.phone), {
        path: '/alias',
        body: { alias: step.alias },
        mayConflict: true,
        onDone: (phone) => void (phone.alias = step.alias === '' ? null : step.alias),
      })
    case 'geo': {
      const { lat, lng } = PLACES[step.place]
      return about(world, judge.phones.at(step.phone), {
        path: '/geo',
        body: { lat: String(lat), lng: String(lng) },
        onDone: (phone) => Object.assign(phone, { place: step.place, changedAt: clock.passedMs }),
      })
    }
    case 'spend': {
      const answered = judge.spends()
      return world.call({
        by: 'metered',
        method: 'GET',
        path: '/analytics',
        onAnswer({ status }) {
          judge.expect(status === 200 || status === 507, 'answers-as-expected', () => `a counted call: ${status}`)
          answered(status === 200)
        },
      })
    }
    case 'badge': {
      const phone = judge.phones.at(step.phone)
      phone.badgeSet = Math.max(phone.badgeSet, step.count)
      return about(world, phone, {
        path: '/badge',
        body: { setbadgecount: step.count },
        onDone(phone, at) {
          phone.badgeCallUntil = clock.passedMs
          phone.counted = { badge: step.count, from: at, since: clock.passedMs }
          // What was sent meanwhile may have come before it: a transaction waits where the log is being moved.
          if (at >= phone.badgeAt) Object.assign(phone, { badge: step.count, badgeAt: at })
          else if (phone.badge !== step.count) phone.badge = null
        },
      })
    }
    case 'others-served':
      return judge.othersAreServed(step.service)
    case 'badge-seen':
      return seeBadge(world, judge.phones.at(step.phone))
    case 'crowd':
      return registerCrowd(world, step.platform, step.count)
    case 'push':
      return sendPush(world, step)
    case 'again':
      return withPush(world, step.push, (push) => sendAgain(world, push))
    case 'cancel':
      return withPush(world, step.push, (push) => cancel(world, push))
    case 'status':
      return withPush(world, step.push, (push) => look(world, push))
    case 'fate': {
      const phone = judge.phones.at(step.phone)
      // A subscription is there or not: there are no bad ones.
      phone.fate = { state: phone.platform === 2 ? 'gone' : step.state, since: clock.now() }
      world.note(`phone ${phone.number} is ${phone.fate.state}`)
      return
    }
    case 'weather':
      weather[step.gateway] = step.weather
      world.note(`${step.gateway} is ${step.weather}`)
      return
    case 'receiver':
      world.setMood(step.mood)
      return
    case 'credential':
      return world.replaceCredential(step.whose, step.gateway)
    case 'pass':
      return clock.advance(step.ms)
    case 'crash':
      if (step.downMs > MINUTE_MS) expireAll(world)
      return world.crash(step.downMs)
    case 'open':
      return withPush(world, step.push, (push) => open(world, push, judge.phones.at(step.phone)))
    case 'disk-fails':
      world.note('the next sync fails')
      return world.setDiskFailing(true)
    case 'restart':
      return world.restart()
    case 'jump':
      world.note(`jump ${step.byMs}`)
      expireAll(world)
      if (step.byMs < 0) judge.course.setBack()
      return clock.jump(step.byMs)
    case 'stand-still':
      world.note(`stand still ${step.ms}`)
      expireAll(world)
      return clock.standStill(step.ms)
  }
}

/** Time has passed, or seems to have, in which times to live may have ended. */
function expireAll({ judge }: World): void {
  judge.course.disturbed()
  for (const push of judge.pushes) push.mayExpire = true
}

async function withPush(world: World, number: number, run: (push: Push) => Promise<void>): Promise<void> {
  const push = world.judge.pushes.at(number % Math.max(world.judge.pushes.length, 1))
  if (push !== undefined) await run(push)
}

interface About {
  readonly path: string
  readonly body: object
  /** Whether 409 is an answer, too. */
  readonly mayConflict?: boolean
  /** The change is on disk; `at`: when it was asked for, by `WorldClock.passedMs`. */
  readonly onDone: (phone: Phone, at: number) => void
}

/** A call that changes a device that is there. */
async function about(world: World, phone: Phone, { path, body, mayConflict, onDone }: About): Promise<void> {
  const { judge, clock } = world
  // Of two at once about one device nobody could say which was first.
  if (phone.calls > 0) return
  const { state } = phone
  const at = clock.passedMs
  phone.calls++
  await world.call({
    by: phone.application,
    method: 'PUT',
    path,
    body: { token: phone.token, platform: String(phone.platform), ...body },
    onAnswer({ status }) {
      phone.calls--
      const asUsual = status < 300 || (status === 404 && phone.state !== 'present') || (status === 409 && mayConflict)
      judge.expect(
        asUsual === true,
        'answers-as-expected',
        () => `${path} of phone ${phone.number}, ${state}: ${status}`,
      )
      judge.expect(
        status !== 200 || state !== 'absent' || path === '/deviceToken/del',
        'answers-as-expected',
        () => `${path} of phone ${phone.number}, which is not there: 200`,
      )
      if (status < 300) onDone(phone, at)
    },
    onLost() {
      phone.calls--
      doubt(phone, clock.passedMs)
    },
  })
}

/** Whether a change was made nobody knows. */
function doubt(phone: Phone, at: number): void {
  Object.assign(phone, {
    state: 'unsure',
    tags: null,
    pair: null,
    zone: null,
    place: 'unknown',
    changedAt: at,
    badge: null,
    counted: null,
    goneAt: null,
    anewAt: at,
  })
}

async function register(world: World, phone: Phone, step: Step & { kind: 'register' }): Promise<void> {
  if (phone.calls > 0) return
  const { judge, clock } = world
  const { tags, zone, pair = 0 } = step
  const isBrowser = phone.platform === 2
  const before = phone.state
  const [at, on] = [clock.passedMs, clock.now()]
  const sameTags = phone.tags !== null && phone.tags.size === tags.length && tags.every((tag) => phone.tags?.has(tag))
  phone.calls++
  // Who installs the app anew has a token that is good again.
  if (phone.fate.state === 'gone') phone.fate = { state: 'alive', since: 0 }
  await world.call({
    by: phone.application,
    method: 'PUT',
    path: '/deviceToken',
    body: {
      token: phone.token,
      platform: String(phone.platform),
      tag: tags,
      timezone: zone,
      ...(isBrowser && { keys: keysOf(phone.number, pair) }),
    },
    onAnswer({ status }) {
      phone.calls--
      const wanted = { absent: [201], present: [200], unsure: [200, 201] }[before]
      judge.expect(
        wanted.includes(status) || phone.state === 'unsure',
        'answers-as-expected',
        () => `registration of phone ${phone.number}, ${before}: ${status}`,
      )
      if (phone.state === 'absent')
        Object.assign(phone, {
          alias: null,
          place: null,
          counted: { badge: 0, from: at, since: clock.passedMs },
          ...(phone.badgeAt < at && { badge: 0, badgeAt: at }),
        })
      if (phone.state === 'unsure') Object.assign(phone, { badge: null, counted: null, place: 'unknown' })
      if (phone.state !== 'present') phone.anewAt = clock.passedMs
      if (phone.state !== 'present' || !sameTags || phone.zone !== zone) phone.changedAt = clock.passedMs
      if (isBrowser && phone.pair !== pair) Object.assign(phone, { pair, pairAt: clock.passedMs })
      const state = phone.lostAt >= at ? 'unsure' : 'present'
      Object.assign(phone, { state, tags: new Set(tags), zone, registeredAt: on, seenAt: at, goneAt: null })
    },
    onLost() {
      phone.calls--
      doubt(phone, clock.passedMs)
    },
  })
}

async function registerCrowd(world: World, platform: 0 | 1, count: number): Promise<void> {
  const { judge, clock } = world
  const phones = Array.from({ length: count }, (_, n) => judge.phones.at(PHONES + n, platform)).filter(
    (phone) => phone.platform === platform && phone.calls === 0,
  )
  // All of them may be there by another crowd, on the other platform.
  if (phones.length === 0) return
  const [at, on] = [clock.passedMs, clock.now()]
  for (const phone of phones) phone.calls++
  await world.call({
    method: 'PUT',
    path: '/deviceToken/batch',
    body: { tokens: phones.map(({ token }) => token), platform: String(platform) },
    onAnswer({ status }) {
      judge.expect(status < 300, 'answers-as-expected', () => `a batch: ${status}`)
      for (const phone of phones) {
        phone.calls--
        if (phone.state !== 'present')
          Object.assign(phone, { badge: null, counted: null, place: 'unknown', anewAt: clock.passedMs })
        const state = phone.lostAt >= at ? 'unsure' : 'present'
        Object.assign(phone, { state, seenAt: at, changedAt: clock.passedMs, registeredAt: on, goneAt: null })
      }
    },
    onLost() {
      for (const phone of phones) {
        phone.calls--
        doubt(phone, clock.passedMs)
      }
    },
  })
}

async function seeBadge(world: World, phone: Phone): Promise<void> {
  if (phone.state !== 'present') return
  const { application, token, platform } = phone
  await world.call({
    by: application,
    method: 'GET',
    path: '/deviceToken/one',
    headers: { token, platform: String(platform) },
    onAnswer: ({ status, body }) => world.judge.sawBadge(phone, status === 200 ? body.badge : null),
  })
}

async function cancel(world: World, push: Push): Promise<void> {
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

/** Somebody taps a notification. */
async function open(world: World, push: Push, phone: Phone): Promise<void> {
  const { id, application } = push
  if (id === null || phone.application !== application) return
  const { judge, clock } = world
  const at = clock.passedMs
  push.opens.asked++
  await world.call({
    by: application,
    method: 'PUT',
    path: '/stats',
    body: { platform: String(phone.platform), id, token: phone.token },
    onAnswer({ status }) {
      judge.expect(status === 200, 'answers-as-expected', () => `an open of push ${push.number}: ${status}`)
      if (phone.state === 'present' && phone.changedAt < at && phone.calls === 0) push.opens.by.set(phone, at)
    },
  })
}

/** Looks at a push: it must be there, and its numbers add up. */
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
