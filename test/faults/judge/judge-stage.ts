import { arrivalsOf, partiesOf } from '../stage/parties.ts'
import type { Party, Stage } from '../stage/stage.ts'
import { judge, together } from './judge.ts'
import type { Judgement } from './judge.ts'

/** Asks the service what became of everything, stops it, and judges. */
export async function judgeStage(stage: Stage): Promise<Judgement> {
  const ends = await Promise.all(partiesOf(stage).map(endOf))
  await stage.stop()
  const { killedAt, unwritten } = stage
  const arrivals = arrivalsOf(stage)
  return together(
    ends.map(({ ledger: { pushes, devices, fates }, ...end }, party) =>
      judge({ pushes, devices, fates, arrivals: arrivals[party] ?? [], killedAt, unwritten, ...end }),
    ),
  )
}

/** What an application is told of itself when all is over. */
async function endOf({ api, ledger }: Party) {
  const analytics = await api.call('GET', '/analytics')
  const listed = await api.call('GET', '/deviceToken/all')
  return {
    ledger,
    analytics: analytics?.status === 200 ? analytics.body : null,
    listed: listed?.status === 200 ? listed.body : null,
  }
}
