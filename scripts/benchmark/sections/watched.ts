import { createAdminTokenStore } from '../../../src/admin/admin-token-store.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { startGateway } from '../gateway/gateway.ts'
import { keepBroadcasting } from '../measure/broadcasts.ts'
import { cpuMs, median } from '../measure/process-figures.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import { startWatcher } from '../setup/watcher.ts'

/** Of one window. */
const WINDOW_MS = 4000

/** The cost of an open dashboard during a broadcast: the push's page, and repeated overviews. */
export async function watchedSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 100_000 : 1_000_000
  const pairs = context.quick ? 2 : 4 * context.rounds
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  context.say(`${count} devices: preparing`)
  const devices = opened.use(copyOf(deviceSet(context.folder, count)))
  const service = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))
  const { adminUrl } = service
  const token = newToken(devices.directory)
  using broadcasts = await keepBroadcasting(service, gateway, count)

  async function window(isWatched: boolean): Promise<number> {
    await using _ = isWatched ? startWatcher({ adminUrl, token, application: devices.applicationId }) : null
    await broadcasts.startCount()
    const started = cpuMs(service.pid)
    await Bun.sleep(WINDOW_MS)
    const used = cpuMs(service.pid) - started
    const { requests } = await gateway.report()
    return (used * 1000) / requests
  }

  const [alone, watched, ratios]: [number[], number[], number[]] = [[], [], []]
  for (let pair = 0; pair < pairs; pair++) {
    context.say(`windows ${pair + 1} of ${pairs}`)
    // Alternates, so that neither always comes second.
    const isFirst = pair % 2 === 0
    const first = await window(isFirst)
    const second = await window(!isFirst)
    const [on, off] = isFirst ? [first, second] : [second, first]
    watched.push(on)
    alone.push(off)
    ratios.push(on / off)
  }
  // Also ends the open broadcast.
  await service[Symbol.asyncDispose]()
  return {
    title: 'Watched',
    conditions: `Broadcasts to ${count} devices one after the other, in ${pairs} pairs of windows of ${WINDOW_MS / 1000} s: nobody looks, and somebody follows the push (server-sent events) and asks for the overview every 3 s. CPU of the service alone; the ratio is the median of those of the pairs.`,
    columns: [{ key: 'cpuUs', label: 'CPU µs a push', digits: 2 }],
    rows: [
      { name: 'nobody looks', values: { cpuUs: alone } },
      { name: 'an open dashboard', role: 'service', values: { cpuUs: watched } },
    ],
    notes: [],
    targets: [
      {
        what: 'CPU a push with an open dashboard, beside without',
        value: median(ratios),
        unit: '×',
        digits: 3,
        better: 'less',
        required: 1.02,
        aim: 1.01,
      },
    ],
  }
}

/** As a command creates one beside the running service. */
function newToken(directory: string): string {
  using database = openDatabase(directory)
  const tokens = createAdminTokenStore({ database, clock: systemClock })
  const token = tokens.add('bench', { purpose: 'read', expiresAt: null })
  if (token === null) throw new Error('there is a token of the bench already')
  return token
}
