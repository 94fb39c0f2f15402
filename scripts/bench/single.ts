// How long a single push takes to the wire while a broadcast runs at full speed, against the built-in simulator:
//   bun scripts/bench/single.ts [devices]
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { startSimulator } from '../../src/delivery/simulator/simulator.ts'
import { median } from './process-figures.ts'
import { IDENTITY, startServiceProcess, tokenOf } from './service-process.ts'

const devices = Number(process.argv[2] ?? 1_000_000)
const SINGLES = 50
const PAUSE_MS = 200

await using simulator = await startSimulator({ clock: systemClock, remember: 0 })
const ca = join(mkdtempSync(join(tmpdir(), 'bellhop-bench-')), 'ca.pem')
await Bun.write(ca, simulator.ca)
await using service = await startServiceProcess({
  devices,
  env: { BELLHOP_APNS_URL: simulator.apnsUrl, BELLHOP_GATEWAY_CA: ca },
})
const { keyId, teamId, topic } = IDENTITY
simulator.accept({ kind: 'apns-key', key: service.p8, keyId, teamId, topics: [topic] })

const waiting = new Map<string, (at: number) => void>()
let arrived = 0
const underWay = Promise.withResolvers<void>()
simulator.onArrival(({ collapse }) => {
  arrived++
  if (arrived === 5000) underWay.resolve()
  const heard = waiting.get(collapse ?? '')
  if (heard === undefined) early.set(collapse ?? '', performance.now())
  else heard(performance.now())
})
const early = new Map<string, number>()

const idle = await singles()
await service.call('POST', '/push/all', { platform: 0, msg: 'To all', sound: '', badge: '' })
await underWay.promise
const busy = await singles()
const still = arrived < devices
console.log(`single push, POST to arrival: ${format(idle)} alone; ${format(busy)} during a broadcast to ${devices}`)
console.log(still ? `the broadcast was at ${arrived} then` : 'the broadcast was over before: the figure says nothing')

async function singles(): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < SINGLES; n++) {
    const started = performance.now()
    const { id } = await service.call('POST', '/push/one', {
      platform: 0,
      token: tokenOf(n),
      msg: 'To one',
      sound: '',
      badge: '',
    })
    const at = early.get(id) ?? (await new Promise<number>((resolve) => waiting.set(id, resolve)))
    times.push(at - started)
    early.clear()
    await Bun.sleep(PAUSE_MS)
  }
  return times
}

function format(times: readonly number[]): string {
  const worst = Math.max(...times)
  return `median ${median(times).toFixed(1)} ms, worst ${worst.toFixed(1)} ms`
}
