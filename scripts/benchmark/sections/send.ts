import { join } from 'node:path'
import { startBroadcaster } from '../contenders/broadcaster.ts'
import { sendTargets } from '../contenders/send-targets.ts'
import { startGateway } from '../gateway/gateway.ts'
import { runH2load } from '../measure/h2load.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { installPackages } from '../setup/packages.ts'
import type { SenderProgram } from '../setup/packages.ts'
import { runSenderProgram } from '../setup/sender-process.ts'

/**
 * Share of its pushes that a sender warms up with: a real process runs for weeks, and JavaScript reaches full speed
 * only after some ten thousand requests.
 */
export const WARM_UP = 1 / 5

/** Packages for Node send fewer, since they are ten times slower. */
const NODE_SHARE = 1 / 4

const FETCH_LOOP: SenderProgram = {
  name: `fetch loop, Bun ${Bun.version}`,
  command: [process.execPath, join(import.meta.dir, '../contenders/senders/fetch-loop.ts')],
}

const CLIENT: SenderProgram = {
  name: `Bellhop's HTTP/2 client alone, Bun ${Bun.version}`,
  command: [process.execPath, join(import.meta.dir, '../contenders/senders/h2-client.ts')],
}

const H2LOAD = 'h2load, one request repeated'

const HTTP2_WRAPPER: SenderProgram = {
  name: `http2-wrapper session, Bun ${Bun.version}`,
  command: [process.execPath, join(import.meta.dir, '../contenders/senders/http2-wrapper.ts')],
}

/** The whole service against bare senders, with the same gateway. */
export async function sendSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 20_000 : 200_000
  const larger = context.quick ? 60_000 : 1_000_000
  context.say('packages to compare with')
  const packages = await installPackages()
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())

  const service = async (devices: number): Promise<Contender> => {
    context.say(`${devices} devices: preparing`)
    const broadcaster = opened.use(await startBroadcaster(context, gateway, devices))
    return { name: `Bellhop, ${written(devices)} devices`, role: 'service', run: () => broadcaster.broadcast() }
  }
  const sender = (program: SenderProgram | null, share = 1): readonly Contender[] => {
    if (program === null) return []
    const load = { count: count * share, warmUp: count * share * WARM_UP }
    return [{ name: program.name, run: () => runSenderProgram(program, gateway, load) }]
  }
  const h2load = Bun.which('h2load')
  const contenders: readonly Contender[] = [
    await service(count),
    await service(larger),
    ...sender(CLIENT),
    ...sender(FETCH_LOOP),
    ...sender(HTTP2_WRAPPER),
    ...sender(packages.sideshow),
    ...sender(packages.netHttp),
    ...sender(packages.nodeApn, NODE_SHARE),
    ...sender(packages.apns2, NODE_SHARE),
    ...(h2load === null
      ? []
      : [
          {
            name: H2LOAD,
            role: 'limit' as const,
            run: () => runH2load(context.folder, gateway, count),
          },
        ]),
  ]

  const rows = await inRounds(contenders, context.rounds, context.say)
  return {
    title: 'Send',
    conditions: `A broadcast by the whole service, from the POST to the last arrival at the gateway, beside loops that only send. ${written(count)} pushes each, ${written(count * NODE_SHARE)} by the packages for Node; on one connection where the client leaves the choice; every token and apns-id another one, every answer read. Each sender is a process of its own, and warm. Rounds, in which all take turns: ${context.rounds}.`,
    columns: [
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a push', digits: 1 },
      { key: 'peakMb', label: 'peak RSS MB', digits: 0 },
    ],
    rows,
    notes: [
      ...packages.notes,
      ...(packages.apns2 === null ? [] : ['apns2 cannot send an apns-id, so it sends less.']),
      ...(h2load === null ? ['h2load: not installed here.'] : []),
    ],
    targets: sendTargets(rows, {
      fetchLoop: FETCH_LOOP.name,
      nodeApn: packages.nodeApn?.name ?? null,
      go: packages.netHttp?.name ?? null,
      client: CLIENT.name,
      h2load: h2load === null ? null : H2LOAD,
      million: `Bellhop, ${written(1_000_000)} devices`,
    }),
  }
}

function written(count: number): string {
  return count.toLocaleString('en')
}
