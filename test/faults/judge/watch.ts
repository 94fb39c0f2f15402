import type { Stage } from '../stage/stage.ts'

/** Between two looks, in ms. */
const PAUSE_MS = 250

/** Pushes looked at, the newest. */
const NEWEST = 3

/** Looks at the counts all the while, and accuses once: `t = s + failed + waiting` whenever it can be seen, `s ≤ t`. */
export function watchCounts(stage: Stage): { stop(): Promise<void> } {
  const { api, ledger } = stage
  const stop = new AbortController()
  let wrong: string | null = null

  async function look(): Promise<void> {
    const analytics = await api.call('GET', '/analytics')
    if (analytics?.status === 200 && analytics.body.s > analytics.body.t) {
      wrong ??= `s was ${analytics.body.s} and t ${analytics.body.t}`
    }
    for (const { id } of ledger.pushes.slice(-NEWEST)) {
      const answer = id === null ? null : await api.call('GET', `/push/${id}`)
      if (answer?.status !== 200) continue
      const { t, s, failed, waiting } = answer.body
      if (t === s + failed.total + waiting) continue
      wrong ??= `of one push t was ${t}, s ${s}, failed ${failed.total} and waiting ${waiting}`
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await Bun.sleep(PAUSE_MS)
      if (api.reachable) await look()
    }
    if (wrong !== null) stage.accuse(`at one moment ${wrong}`)
  }
  const running = run()
  return {
    async stop() {
      stop.abort()
      await running
    },
  }
}
