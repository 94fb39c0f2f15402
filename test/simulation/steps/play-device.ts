import type { Phone } from '../judge/phones.ts'
import { keysOf } from '../world/browsers.ts'
import type { World } from '../world/world.ts'
import { PHONES } from './step.ts'
import type { Step } from './step.ts'

interface About {
  readonly path: string
  readonly body: object
  /** Allows 409. */
  readonly mayConflict?: boolean
  /** The change is stored; `at`: `WorldClock.passedMs` of the call. */
  readonly onDone: (phone: Phone, at: number) => void
}

/** A call that changes an existing device. */
export async function about(world: World, phone: Phone, { path, body, mayConflict, onDone }: About): Promise<void> {
  const { judge, clock } = world
  // The order of two concurrent calls would be unknown, as is the token after a lost move.
  if (phone.calls > 0 || phone.tokenBefore !== null) return
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

/** The change may have been made or not. */
export function doubt(phone: Phone, at: number): void {
  Object.assign(phone, {
    state: 'unsure',
    tags: null,
    user: null,
    locale: null,
    pair: null,
    zone: null,
    place: 'unknown',
    changedAt: at,
    localeAt: at,
    badge: null,
    counted: null,
    goneAt: null,
    asideAt: null,
    backSince: null,
    anewAt: at,
    isImported: false,
    erasedAt: null,
  })
}

export async function register(world: World, phone: Phone, step: Step & { kind: 'register' }): Promise<void> {
  const { judge, clock } = world
  const { tags, zone, pair = 0, locale } = step
  const isAdopted = step.moves === 'adopts'
  const user = isAdopted ? userOf(phone) : step.user
  if (phone.calls > 0 || judge.phones.erasing.has(`${phone.application} ${user}`)) return
  // It has no known user, or has named one.
  if (isAdopted && !(phone.isImported && phone.state === 'present')) return
  const isBrowser = phone.platform === 2
  const before = phone.state
  const [at, on] = [clock.passedMs, clock.now()]
  const sameTags = phone.tags !== null && phone.tags.size === tags.length && tags.every((tag) => phone.tags?.has(tag))
  // Until a move is certain, the app names the earlier token every time.
  if (step.moves !== undefined && phone.tokenBefore === null) judge.phones.move(phone)
  const { tokenBefore } = phone
  phone.calls++
  // A reinstalled app has a valid token.
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
      ...(tokenBefore !== null && !isAdopted && { replaces: tokenBefore }),
      ...(user !== undefined && { user }),
      ...(locale !== undefined && { locale }),
      ...(isBrowser && { keys: keysOf(phone.number, pair) }),
    },
    onAnswer({ status }) {
      phone.calls--
      const now = clock.passedMs
      const isMoved = tokenBefore !== null
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
          user: '',
          locale: '',
          counted: { badge: 0, from: at, since: now },
          ...(phone.badgeAt < at && { badge: 0, badgeAt: at }),
        })
      // A phone that was gone returns unchanged by its new token, and anew by its own.
      else if (phone.state !== 'present')
        Object.assign(phone, { badge: null, counted: null, place: 'unknown', user: null, locale: null })
      const sameUser = user === undefined || phone.user === user
      if (phone.state !== 'present') phone.anewAt = now
      if (phone.state !== 'present' || !sameTags || !sameUser || phone.zone !== zone) phone.changedAt = now
      if (phone.state !== 'present' || (locale !== undefined && phone.locale !== locale)) phone.localeAt = now
      if (isBrowser && phone.pair !== pair) Object.assign(phone, { pair, pairAt: now })
      if (isMoved) Object.assign(phone, { tokenBefore: null, movedAt: now })
      const state = phone.lostAt >= at ? 'unsure' : 'present'
      Object.assign(phone, {
        state,
        tags: new Set(tags),
        zone,
        ...(user !== undefined && { user }),
        ...(locale !== undefined && { locale }),
        registeredAt: on,
        registeredBy: Math.max(on, clock.now()),
        seenAt: at,
        goneAt: null,
        asideAt: state === 'present' ? null : phone.asideAt,
        backSince: null,
        isImported: false,
        erasedAt: null,
      })
    },
    onLost() {
      phone.calls--
      doubt(phone, clock.passedMs)
    },
  })
}

/** Of imported phones only. */
export function userOf({ number }: Phone): string {
  return `user ${number}`
}

export async function registerCrowd(world: World, platform: 0 | 1, count: number): Promise<void> {
  const { judge, clock } = world
  const phones = Array.from({ length: count }, (_, n) => judge.phones.at(PHONES + n, platform)).filter(
    (phone) => phone.platform === platform && phone.calls === 0 && phone.tokenBefore === null,
  )
  // Another crowd may hold all of them on the other platform.
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
          Object.assign(phone, {
            badge: null,
            counted: null,
            place: 'unknown',
            user: null,
            locale: null,
            anewAt: clock.passedMs,
          })
        const state = phone.lostAt >= at ? 'unsure' : 'present'
        const [asideAt, backSince, erasedAt] = [state === 'present' ? null : phone.asideAt, null, null]
        const registeredBy = Math.max(on, clock.now())
        Object.assign(phone, { state, seenAt: at, changedAt: clock.passedMs, registeredAt: on, registeredBy })
        Object.assign(phone, { goneAt: null, asideAt, backSince, erasedAt })
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

export async function seeBadge(world: World, phone: Phone): Promise<void> {
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
