import type { FakeClock } from './fake-clock.ts'
import type { Service } from './service.ts'

/** What the clocks move on at a time: the tick of whatever looks for what is due. */
const STEP_MS = 250

/**
 * Moves the clocks on until `done` is over, and gives its result. About fifty times as fast as time, so that a request
 * is not overtaken by its deadline. Between two steps the service is asked whether it is ready, and answers when the
 * disk has taken a write: as long as that, or the thread by which calls and what goes to gateways alike are sent, is
 * held up, no time passes. `stepMs`: longer for times in which little is sent, and its deadline far.
 */
export async function passing<T>(
  service: Pick<Service, 'adminUrl'>,
  clocks: FakeClock | readonly FakeClock[],
  done: Promise<T>,
  stepMs = STEP_MS,
): Promise<T> {
  let over = false
  const end = (): void => {
    over = true
  }
  done.then(end, end)
  for (;;) {
    await Bun.sleep(5)
    await (await fetch(`${service.adminUrl}/readyz`)).text()
    if (over) return done
    for (const clock of [clocks].flat()) clock.advance(stepMs)
  }
}

/** Moves the clock on until it is disposed of, whatever the service does. */
export function movingOn(clock: FakeClock): Disposable {
  const timer = setInterval(() => clock.advance(STEP_MS), 5)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Resolves when `done` does, for which no more than `ms` may pass: then the clock stands, however long a busy machine still
 * takes. What needs more time than that never is done.
 */
export async function within<T>(
  service: Pick<Service, 'adminUrl'>,
  clock: FakeClock,
  ms: number,
  done: () => Promise<T>,
): Promise<T> {
  const end = clock.now() + ms
  const passed = async () => {
    while (clock.now() < end) await Bun.sleep(1)
  }
  const result = done()
  await passing(service, clock, Promise.race([result, passed()]), 100)
  return result
}
