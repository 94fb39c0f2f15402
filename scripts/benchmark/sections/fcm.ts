import { join } from 'node:path'
import { startBroadcaster } from '../contenders/broadcaster.ts'
import { startGateway } from '../gateway/gateway.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import { giveAndroid } from '../setup/android-set.ts'
import type { BenchContext } from '../setup/context.ts'
import { runSenderProgram } from '../setup/sender-process.ts'
import { WARM_UP } from './send.ts'

const FETCH_LOOP = {
  name: `fetch loop, Bun ${Bun.version}`,
  command: [process.execPath, join(import.meta.dir, '../contenders/senders/fcm-fetch-loop.ts')],
}

/** On one connection, as observed with Google's servers. */
const MAX_STREAMS = 100

/** The whole service against a bare loop of fetch. */
export async function fcmSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 20_000 : 100_000
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway({ kind: 'fcm', maxStreams: MAX_STREAMS }))
  context.say(`${count} devices: preparing`)
  const broadcaster = opened.use(await startBroadcaster(context, gateway, count, giveAndroid, 1))
  const load = { count, warmUp: count * WARM_UP }
  const contenders: readonly Contender[] = [
    { name: 'Bellhop', role: 'service', run: () => broadcaster.broadcast() },
    { name: FETCH_LOOP.name, run: () => runSenderProgram(FETCH_LOOP, gateway, load) },
  ]
  const rows = await inRounds(contenders, context.rounds, context.say)
  return {
    title: 'FCM',
    conditions: `A broadcast to ${count.toLocaleString('en')} Android devices by the whole service, from the POST to the last arrival at the gateway, beside a loop that sends as many messages and reads each answer. The gateway is the stand-in for APNs, with an answer of FCM, and ${MAX_STREAMS} streams on a connection. Each sender is a process of its own, and warm. Rounds, in which all take turns: ${context.rounds}.`,
    columns: [
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a push', digits: 1 },
      { key: 'peakMb', label: 'peak RSS MB', digits: 0 },
    ],
    rows,
    notes: [
      "The rate of the service is Google's quota, to which it keeps: 600,000 messages a minute (src/gateway/fcm/project-quota.ts). What it costs is to be seen in the CPU.",
    ],
    targets: [],
  }
}
