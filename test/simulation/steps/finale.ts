import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import type { World } from '../world/world.ts'
import { look } from './play.ts'

/** How long the process stands still between two looks, so that whatever waits comes to its time. */
const WAITS_MS = [
  0,
  0,
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  DAY_MS,
]

/** Everything is well again, and stays so: whatever was begun must come to its end. */
export async function finish(world: World): Promise<void> {
  const { judge, clock, weather } = world
  weather.apns = 'fair'
  weather.fcm = 'fair'
  world.setMood('well')
  world.note('all is well')
  for (const ms of WAITS_MS) {
    clock.standStill(ms)
    await clock.advance(1500)
    await lookAtAll(world)
    await clock.advance(50)
    if (judge.violation !== null || judge.pushes.every(({ id, end }) => id === null || end !== null)) break
  }
  judge.ended()
}

async function lookAtAll(world: World): Promise<void> {
  for (const push of world.judge.pushes) await look(world, push)
}
