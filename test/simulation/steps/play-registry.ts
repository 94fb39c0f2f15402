import { ALLOWANCE } from '../judge/allowance.ts'
import type { Whose } from '../world/gateways.ts'
import type { World } from '../world/world.ts'
import { doubt, userOf } from './play-device.ts'
import type { Step } from './step.ts'

/** Erases a user with all devices. */
export async function eraseUser(world: World, user: string, by: Whose): Promise<void> {
  const { judge, clock } = world
  const { erasing } = judge.phones
  const key = `${by} ${user}`
  const all = judge.phones.all().filter((phone) => phone.application === by)
  const own = all.filter((phone) => phone.user === user)
  const unsure = all.filter((phone) => phone.user === null)
  const concerned = [...own, ...unsure]
  // A registration under way may be that user's.
  const isSure = all.every(({ calls }) => calls === 0) && concerned.every(({ tokenBefore }) => tokenBefore === null)
  if (erasing.has(key) || !isSure) return
  const certain = own.filter(({ state }) => state === 'present').length
  erasing.add(key)
  for (const phone of concerned) phone.calls++
  const over = () => {
    erasing.delete(key)
    for (const phone of concerned) phone.calls--
  }
  await world.call({
    by,
    method: 'PUT',
    path: '/user/del',
    body: { user },
    onAnswer({ status, body }) {
      over()
      judge.expect(
        status === 200 && body.devices >= certain && body.devices <= concerned.length,
        'answers-as-expected',
        () => `erasure of ${user}, who has ${certain} to ${concerned.length} phones: ${status} ${JSON.stringify(body)}`,
      )
      const now = clock.passedMs
      for (const phone of unsure) if (phone.state !== 'absent') doubt(phone, now)
      const erased = { state: 'absent', changedAt: now, goneAt: null, asideAt: null, backSince: null }
      for (const phone of own) {
        // Nothing tells whose token was unregistered earlier: its records stay.
        const erasedAt = phone.state === 'absent' ? phone.erasedAt : now
        Object.assign(phone, { ...erased, erasedAt, user: '', isImported: false })
      }
      judge.erased(concerned)
    },
    onLost() {
      over()
      judge.erased(concerned)
      for (const phone of concerned) doubt(phone, clock.passedMs)
    },
  })
}

/** A command imports phones with their users, seen just now. */
export function importPhones(world: World, step: Step & { kind: 'import' }): void {
  const { judge, clock } = world
  const phones = step.phones.map((number) => judge.phones.at(number))
  const sure = phones.filter(({ calls, tokenBefore }) => calls === 0 && tokenBefore === null)
  const rows = sure.map((phone) => ({
    token: phone.token,
    platform: phone.platform,
    tag: step.tags,
    user: userOf(phone),
    badge: phone.number % 5,
    seenAt: clock.now(),
    imported: true,
  }))
  const outcomes = world.importDevices(rows)
  for (const [nth, phone] of sure.entries()) {
    const kind = outcomes[nth]
    const { state, number } = phone
    judge.expect(
      state === 'unsure' || (kind === 'imported') === (state === 'absent'),
      'answers-as-expected',
      () => `import of phone ${number}, ${state}: ${kind}`,
    )
    if (kind === 'imported') {
      const now = clock.passedMs
      const badge = number % 5
      phone.badgeSet = Math.max(phone.badgeSet, badge)
      Object.assign(phone, {
        state: 'present',
        tags: new Set(step.tags),
        user: userOf(phone),
        locale: '',
        zone: '',
        place: null,
        alias: null,
        counted: { badge, from: now, since: now },
        badge,
        badgeAt: now,
        badgeCallUntil: now,
        changedAt: now,
        localeAt: now,
        anewAt: now,
        seenAt: now,
        registeredAt: clock.now(),
        registeredBy: clock.now(),
        goneAt: null,
        asideAt: null,
        backSince: null,
        isImported: true,
        erasedAt: null,
      })
    } else {
      doubt(phone, clock.passedMs)
      // Pages read earlier show what was stored then for a second.
      phone.badgeCallUntil = clock.passedMs + ALLOWANCE.noticedMs
      // Its existing record is unknown.
      phone.state = state
    }
  }
}
