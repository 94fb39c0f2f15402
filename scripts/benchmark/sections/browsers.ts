import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../gateway/gateway.ts'
import { median } from '../measure/process-figures.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import { timedBroadcast } from '../measure/timed-broadcast.ts'
import type { Section, Target } from '../report/result.ts'
import { prepareBrowsers, WARM_UP_TAG, warmedUp } from '../setup/browser-set.ts'
import type { BenchContext } from '../setup/context.ts'
import { installFromNpm } from '../setup/packages.ts'
import { runSenderProgram } from '../setup/sender-process.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** Share of its pushes that a sender warms up with. */
const WARM_UP = 1 / 50

/** web-push sends fewer, since it is many times slower. */
const WEB_PUSH_SHARE = 1 / 4

/** The whole service against web-push, which only encrypts, signs and sends. */
export async function browsersSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 5_000 : 20_000
  context.say('packages to compare with')
  const { webPush, notes } = await installFromNpm()
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())

  context.say(`${count} browsers: preparing`)
  const devices = prepareBrowsers(mkdtempSync(join(context.folder, 'browsers-')), count, gateway.origin)
  const service = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))
  await finished(service, await pushToAll(service, { platform: 2, tags: [WARM_UP_TAG] }), warmedUp(count))

  const name = 'Bellhop'
  const begin = async () => [await pushToAll(service, { platform: 2 })]
  const contenders: readonly Contender[] = [
    { name, role: 'service', run: () => timedBroadcast({ service, gateway, count, begin }) },
    ...webPush.map((program) => {
      const load = { count: count * WEB_PUSH_SHARE, warmUp: count * WEB_PUSH_SHARE * WARM_UP }
      return { name: program.name, run: () => runSenderProgram(program, gateway, load) }
    }),
  ]
  const rows = await inRounds(contenders, context.rounds, context.say)

  const figure = (row: string, key: string) => median(rows.find((one) => one.name === row)?.values[key] ?? [])
  const target = (what: string, value: number): Target => {
    return { what, value, unit: '×', digits: 2, better: 'more', required: 1, aim: 1.5 }
  }
  return {
    title: 'Browsers',
    conditions: `A broadcast to ${count.toLocaleString('en')} browsers by the whole service, from the POST to the last arrival at the push service, beside a loop of web-push that makes requests and sends them over HTTP/2, ${(count * WEB_PUSH_SHARE).toLocaleString('en')} of them. The push service is the stand-in for APNs, over TLS. Each browser has keys of its own, those of web-push come in turns of 1,024. Each sender is a process of its own, and warm. Rounds, in which all take turns: ${context.rounds}.`,
    columns: [
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a push', digits: 1 },
      { key: 'peakMb', label: 'peak RSS MB', digits: 0 },
    ],
    rows,
    notes: [...notes, 'How this compares with an earlier version is not seen here: a run has one compiled service.'],
    targets: webPush.flatMap((other) => [
      target(
        `broadcast to browsers, speed beside ${other.name}`,
        figure(name, 'perSecond') / figure(other.name, 'perSecond'),
      ),
      target(
        `CPU a push of ${other.name} beside that of the service`,
        figure(other.name, 'cpuUs') / figure(name, 'cpuUs'),
      ),
    ]),
  }
}
