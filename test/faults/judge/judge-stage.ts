import { analyticsOf, devicesOf } from '../stage/api.ts'
import { arrivalsOf, partiesOf } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'
import { checkDatabase } from './database-check.ts'
import { judge, together } from './judge.ts'
import type { Judgement } from './judge.ts'

/** Asks the service, stops it, and judges its answers and its database. */
export async function judgeStage(stage: Stage): Promise<Judgement> {
  const ends = await Promise.all(
    partiesOf(stage).map(async ({ api, ledger: { pushes, devices, fates } }) => {
      return { pushes, devices, fates, analytics: await analyticsOf(api), listed: await devicesOf(api) }
    }),
  )
  await stage.stop()
  const { killedAt, unwritten, data } = stage
  const arrivals = arrivalsOf(stage)
  const judgement = together(
    ends.map((end, party) => judge({ ...end, arrivals: arrivals[party] ?? [], killedAt, unwritten })),
  )
  return { ...judgement, findings: [...judgement.findings, ...checkDatabase(data, judgement.owed)] }
}

/** Between two checks, in ms. */
const PAUSE_MS = 250

/** Newest pushes that are checked. */
const NEWEST = 3

/** Checks the counts repeatedly, and accuses once: `t = s + failed + waiting`, and `s ≤ t`. */
export function watchCounts(stage: Stage): { stop(): Promise<void> } {
  const { api, ledger } = stage
  const stop = new AbortController()
  let wrong: string | null = null

  async function look(): Promise<void> {
    const analytics = await analyticsOf(api)
    if (analytics !== null && analytics.s > analytics.t) wrong ??= `s was ${analytics.s} and t ${analytics.t}`
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
