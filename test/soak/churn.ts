import type { Api } from '../faults/stage/api.ts'
import { tokenOf } from '../faults/stage/crowd.ts'
import { chance } from '../support/chance.ts'

/** Most registered devices of its own: then a new one replaces the oldest. */
const MOST_DEVICES = 300

/** Calls of apps and a backend that leave nothing behind except pushes. */
export interface Churn {
  /** Latencies since the last time, in ms. */
  takeLatencies(): readonly number[]
  readonly counts: {
    readonly calls: number
    readonly unanswered: number
    /** By call and code, such as `PUT /tag NotFoundError`. */
    readonly refused: ReadonlyMap<string, number>
  }
  /** Unregisters its devices. Resolves after its last call. */
  stop(): Promise<void>
}

interface ChurnOptions {
  readonly api: Api
  readonly seed: number
  /** Ids of pushes to ask about, newest last. */
  readonly pushes: () => readonly string[]
  readonly workers: number
  /** Between two calls of a worker, in ms. */
  readonly pauseMs: number
}

type Method = 'GET' | 'PUT' | 'POST'

export function startChurn({ api, seed, pushes, workers, pauseMs }: ChurnOptions): Churn {
  const refused = new Map<string, number>()
  const counts = { calls: 0, unanswered: 0, refused }
  const stop = new AbortController()
  let latencies: number[] = []
  let turns = 0
  const own: { readonly platform: 0 | 1; readonly token: string }[] = []

  async function ask(method: Method, path: string, body?: object): Promise<unknown> {
    // During a restart. Skipped calls would leave devices behind.
    while (!api.reachable) await Bun.sleep(pauseMs)
    const began = performance.now()
    const answer = await api.call(method, path, body)
    counts.calls++
    if (answer === null) counts.unanswered++
    else if (answer.status >= 400) {
      const what = `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')} ${answer.body.code}`
      refused.set(what, (refused.get(what) ?? 0) + 1)
    }
    if (answer !== null) latencies.push(performance.now() - began)
    return answer?.body ?? null
  }

  async function register(turn: number): Promise<void> {
    const platform = turn % 2 === 0 ? 0 : 1
    const token = tokenOf(platform, 'churn', seed, turn)
    const where = { lat: (turn % 180) - 90, lng: (turn % 360) - 180 }
    // Recurring names, and some that last as long as their device.
    const tag = [`churn-${turn % 50}`, ...(turn % 10 === 0 ? [`once-${turn}`] : [])]
    await ask('PUT', '/deviceToken', { token, platform, tag, alias: `churn-${turn}`, ...where })
    own.push({ platform, token })
    const leaving = own.length > MOST_DEVICES ? own.shift() : undefined
    if (leaving !== undefined) await ask('PUT', '/deviceToken/del', leaving)
  }

  /** Cancelled long before its time. */
  async function schedule(turn: number): Promise<void> {
    const accepted = await ask('POST', '/push/all', { tags: [`churn-${turn % 50}`], msg: 'later', send_at: 3600 })
    if (accepted !== null) await ask('POST', `/push/${(accepted as { id: string }).id}/cancel`)
  }

  async function call(turn: number): Promise<void> {
    const device = own[turn % own.length]
    const push = pushes().at(-1 - (turn % 5))
    const at = Math.floor(chance(seed, 'churn', turn) * 20)
    if (at < 4 || device === undefined) return register(turn)
    if (at < 6) return void (await ask('PUT', '/tag', { ...device, tag: `churn-${turn % 50}` }))
    if (at < 7) return void (await ask('PUT', '/tag/del', { ...device, tag: `churn-${(turn + 1) % 50}` }))
    if (at < 8) return void (await ask('PUT', '/geo', { ...device, lat: turn % 90, lng: turn % 180 }))
    if (at < 9) return void (await ask('PUT', '/badge', { ...device, setbadgecount: turn % 10 }))
    if (at < 10) return void (await ask('PUT', '/alias', { ...device, alias: `renamed-${turn}` }))
    if (at < 12) return void (await ask('GET', '/analytics'))
    if (at < 13) return void (await ask('GET', '/pushes?limit=20'))
    if (at < 14) return void (await ask('GET', '/deviceToken/all?limit=100'))
    if (at < 15) return void (await ask('GET', '/feedback'))
    if (at < 17) return void (await ask('POST', '/push/preview', { tags: ['even'], msg: 'Who?' }))
    if (at < 18) return schedule(turn)
    if (push === undefined) return
    if (at < 19) return void (await ask('GET', `/push/${push}`))
    await ask('PUT', '/stats', { platform: device.platform, id: push, token: device.token })
  }

  async function work(): Promise<void> {
    while (!stop.signal.aborted) {
      await Bun.sleep(pauseMs)
      await call(turns++)
    }
  }
  const running = Promise.all(Array.from({ length: workers }, work))
  return {
    counts,
    takeLatencies() {
      const taken = latencies
      latencies = []
      return taken
    },
    async stop() {
      stop.abort()
      await running
      for (const device of own) await ask('PUT', '/deviceToken/del', device)
    },
  }
}
