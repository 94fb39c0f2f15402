import { createAdminTokenStore } from '../../../src/admin/admin-token-store.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { startBroadcaster } from '../contenders/broadcaster.ts'
import { startGateway } from '../gateway/gateway.ts'
import { median } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { startWatcher } from '../setup/watcher.ts'

/** A ratio near 1 needs more turns than others. */
const MIN_ROUNDS = 5

const ALONE = 'nobody looks'
const WATCHED = 'an open dashboard'

/** What it costs a broadcast that somebody looks on: the page of the push, and the overview again and again. */
export async function watchedSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 20_000 : 200_000
  const rounds = context.quick ? 1 : Math.max(context.rounds, MIN_ROUNDS)
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  context.say(`${count} devices: preparing`)
  const broadcaster = opened.use(await startBroadcaster(context, gateway, count))
  const token = newToken(broadcaster.directory)
  const rows = await inRounds(
    [
      { name: ALONE, run: () => broadcaster.broadcast() },
      {
        name: WATCHED,
        role: 'service',
        async run() {
          let told = 0
          const figures = await broadcaster.broadcast(({ adminUrl }, push) =>
            startWatcher({ adminUrl, token, push: push.id, onTold: () => told++ }),
          )
          return { ...figures, told }
        },
      },
    ],
    rounds,
    context.say,
  )
  const [alone, watched] = rows.map(({ values }) => median(values['cpuUs'] ?? []))
  return {
    title: 'Watched',
    conditions: `Broadcasts to ${count} devices, in turns with nobody looking and with one who follows the push (server-sent events) and asks for the overview every 3 s. CPU of the service alone. Rounds: ${rounds}.`,
    columns: [
      { key: 'cpuUs', label: 'CPU µs a push', digits: 2 },
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'told', label: 'events and answers', digits: 0 },
    ],
    rows,
    notes: [],
    targets: [
      {
        what: 'CPU a push with an open dashboard, beside without',
        value: (watched ?? Number.NaN) / (alone ?? Number.NaN),
        unit: '×',
        digits: 3,
        better: 'less',
        required: 1.02,
        aim: 1.01,
      },
    ],
  }
}

/** Beside the running service, as a command makes one. */
function newToken(directory: string): string {
  using database = openDatabase(directory)
  const token = createAdminTokenStore({ database, clock: systemClock }).add('bench')
  if (token === null) throw new Error('there is a token of the bench already')
  return token
}
