import { MINUTE_MS } from '../../../src/clock.ts'
import type { Push } from '../judge/pushes.ts'
import type { World } from '../world/world.ts'
import { changeHold, changeQuota, putCredential, resend } from './play-admin.ts'
import { about, register, registerCrowd, seeBadge } from './play-device.ts'
import { cancel, look, report, sendAgain, sendPush } from './play-push.ts'
import { eraseUser, importPhones } from './play-registry.ts'
import { PLACES } from './step.ts'
import type { Step } from './step.ts'

/** Plays one step. Steps that make no sense do nothing. */
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
        onDone: (phone) =>
          Object.assign(phone, {
            state: 'absent',
            changedAt: clock.passedMs,
            goneAt: null,
            asideAt: null,
            backSince: null,
            isImported: false,
          }),
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
          // A push sent in between may precede it: a transaction waits while the WAL is moved.
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
      // Subscriptions are there or gone, never bad.
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
      return step.byAdmin
        ? putCredential(world, step.whose, step.gateway)
        : world.replaceCredential(step.whose, step.gateway)
    case 'erase':
      return eraseUser(world, step.user, step.by)
    case 'import':
      return importPhones(world, step)
    case 'hold':
      return changeHold(world, step.seconds)
    case 'quota':
      return changeQuota(world, step.calls)
    case 'resend':
      return withPush(world, step.push, (push) => resend(world, push))
    case 'pass':
      return clock.advance(step.ms)
    case 'crash':
      if (step.downMs > MINUTE_MS) expireAll(world)
      return world.crash(step.downMs)
    case 'open':
      return withPush(world, step.push, (push) =>
        report(world, push, judge.phones.at(step.phone), { event: 'opened', action: '' }),
      )
    case 'report': {
      const { action } = step
      const event = action === '' ? 'received' : 'action'
      return withPush(world, step.push, (push) => report(world, push, judge.phones.at(step.phone), { event, action }))
    }
    case 'disk-fails':
      world.note('the next sync fails')
      return world.setDiskFailing(true)
    case 'restart':
      return world.restart()
    case 'jump':
      world.note(`jump ${step.byMs}`)
      judge.course.disturbed()
      // With a clock put ahead, waiting pushes may be released, and expire when it is put back.
      for (const push of judge.pushes) push.mayExpire = true
      if (step.byMs < 0) judge.setBack()
      return clock.jump(step.byMs)
    case 'stand-still':
      world.note(`stand still ${step.ms}`)
      expireAll(world)
      return clock.standStill(step.ms)
  }
}

/** Times to live of released pushes may have ended. */
export function expireAll({ judge, clock }: World): void {
  judge.course.disturbed()
  for (const push of judge.pushes) if (push.end === null && mayHaveBegun(push, clock.now())) push.mayExpire = true
}

function mayHaveBegun({ step, askedOn }: Push, now: number): boolean {
  return step.when.kind !== 'in' || now >= askedOn + step.when.seconds * 1000
}

async function withPush(world: World, number: number, run: (push: Push) => Promise<void>): Promise<void> {
  // A refused resend is not a push.
  const pushes = world.judge.pushes.filter(({ resendOf, state }) => resendOf === null || state !== 'refused')
  const push = pushes.at(number % Math.max(pushes.length, 1))
  if (push !== undefined) await run(push)
}
