import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import type { Sky, Whose } from '../world/gateways.ts'
import type { World } from '../world/world.ts'
import { sendPush } from './play-push.ts'
import { look } from './play.ts'

/**
 * How long the process hardly runs between two looks, so that whatever waits comes to its time; and then so long that
 * what has come to it in the last day is over.
 */
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

/** Everything is well again, and stays so: whatever was begun must come to its end, and the registry be as it was left. */
export async function finish(world: World): Promise<void> {
  const { judge, weather } = world
  for (const sky of Object.keys(weather) as Sky[]) weather[sky] = 'fair'
  world.setMood('well')
  world.setDiskFailing(false)
  await world.revive()
  world.note('all is well')
  await waitForEnd(world)
  await list(world)
  if (judge.violation !== null) return
  // Once more to everybody who is there now, and to nobody else.
  for (const by of applicationsIn(world)) {
    await sendPush(world, {
      kind: 'push',
      by,
      to: { kind: 'all' },
      badge: '+1',
      ttl: null,
      when: { kind: 'now' },
      keyed: false,
    })
  }
  await waitForEnd(world)
  judge.ended()
  if (judge.violation !== null || world.chance('once more') > 0.3) return
  await world.crash(0)
  await list(world)
  for (const push of judge.pushes) await look(world, push)
  judge.ended()
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
  }
}

/** The second one only where it has phones. */
function applicationsIn({ judge }: World): readonly Whose[] {
  return judge.phones.all().some(({ application }) => application === 1) ? [0, 1] : [0]
}
