import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import type { Sky, Whose } from '../world/gateways.ts'
import type { World } from '../world/world.ts'
import { look, sendPush } from './play-push.ts'
import { expireAll } from './play.ts'
import { push } from './scene-parts.ts'

/** How long the process lags between looks, so that everything waiting becomes due, and then finishes. */
const WAITS_MS = [
  0,
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  5 * SECOND_MS,
  MINUTE_MS,
]

/** Everything works again: whatever began must end, and the registry must be as it was left. */
export async function finish(world: World): Promise<void> {
  const { judge, weather } = world
  for (const sky of Object.keys(weather) as Sky[]) weather[sky] = 'fair'
  world.setMood('well')
  world.setDiskFailing(false)
  await world.revive()
  world.note('all is well')
  await sleepUntilDue(world)
  await waitForEnd(world)
  await list(world)
  if (judge.violation !== null) return
  // Once more to everybody there, and nobody else.
  for (const by of applicationsIn(world)) {
    await sendPush(world, push({ kind: 'all' }, { by, badge: '+1' }))
  }
  await waitForEnd(world)
  await sum(world)
  judge.ended()
  if (judge.violation !== null || world.chance('once more') > 0.3) return
  await world.crash(0)
  await list(world)
  for (const push of judge.pushes) await look(world, push)
  judge.ended()
}

/** The machine sleeps until the last push is due, which may be days. */
async function sleepUntilDue(world: World): Promise<void> {
  const { judge, clock } = world
  const dues = judge.pushes.map(({ step, askedOn, end }) =>
    step.when.kind === 'in' && end === null ? askedOn + step.when.seconds * 1000 : 0,
  )
  const ms = Math.max(...dues, 0) - clock.now()
  if (ms < HOUR_MS) return
  // Finished pushes have had their time.
  for (const push of judge.pushes) await look(world, push)
  expireAll(world)
  world.note(`asleep for ${ms} ms`)
  clock.standStill(ms)
}

async function waitForEnd(world: World): Promise<void> {
  const { judge, clock } = world
  for (const ms of WAITS_MS) {
    if (ms > 0) judge.course.disturbed()
    await clock.lag(ms)
    for (let n = 0; n < 6 && !judge.isTold; n++) await clock.advance(250)
    for (const push of judge.pushes) if (push.end === null) await look(world, push)
    if (judge.violation !== null || judge.isOver) return
  }
}

async function list(world: World): Promise<void> {
  const { judge } = world
  for (const by of applicationsIn(world)) {
    await world.call({
      by,
      method: 'GET',
      path: '/deviceToken/all',
      onAnswer({ status, body }) {
        judge.expect(status === 200, 'answers-as-expected', () => `the list of devices: ${status}`)
        if (status === 200) judge.listed(by, body)
      },
    })
    // Without erasures nobody can be missing.
    const erased = judge.phones.all().filter((phone) => phone.application === by && phone.erasedAt !== null)
    if (erased.length > 0) await listNamed(world, by)
  }
}

/** Reads tokens called gone, and failed recipients. */
async function listNamed(world: World, by: Whose): Promise<void> {
  const { judge } = world
  const failed = judge.pushes.filter(({ id, application }) => id !== null && application === by)
  for (const path of ['/feedback', ...failed.map(({ id }) => `/push/${id}/failures`)]) {
    await world.call({
      by,
      method: 'GET',
      path,
      onAnswer({ status, body }) {
        judge.expect(status === 200, 'answers-as-expected', () => `${path}: ${status}`)
        if (status === 200)
          judge.named(
            by,
            (body as { token: string | null }[]).flatMap(({ token }) => token ?? []),
          )
      },
    })
  }
}

async function sum(world: World): Promise<void> {
  for (const by of applicationsIn(world)) {
    await world.call({
      by,
      method: 'GET',
      path: '/analytics',
      onAnswer: ({ body }) => world.judge.summed(by, body),
    })
  }
}

/** The second one only if it has phones. */
function applicationsIn({ judge }: World): readonly Whose[] {
  return judge.phones.all().some(({ application }) => application === 1) ? [0, 1] : [0]
}
