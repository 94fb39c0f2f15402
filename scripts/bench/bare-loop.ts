// Sends N requests with the same fetch that the service uses, and nothing else: what sending costs at least.
// Arguments: origin, CA file, count, requests in flight. Prints {"seconds", "cpuMs"}.
import { cpuMs } from './process-figures.ts'
import { tokenOf } from './service-process.ts'

const [origin = '', ca = '', count = '100000', inFlight = '1000'] = process.argv.slice(2)
const total = Number(count)
const session = new Bun.FetchSession({ tls: { ca: await Bun.file(ca).text() }, proxy: false })
const tokens = Array.from({ length: total }, (_, n) => tokenOf(n))
const body = JSON.stringify({ aps: { alert: 'Hello', sound: 'default' } })
const authorization = `bearer ${'x'.repeat(184)}`

await send(0)
let next = 1
const cpu = cpuMs(process.pid)
const started = performance.now()
await Promise.all(Array.from({ length: Number(inFlight) }, lane))
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, cpuMs: cpuMs(process.pid) - cpu }))
process.exit(0)

async function lane(): Promise<void> {
  while (next < total) await send(next++)
}

async function send(n: number): Promise<void> {
  const response = await session.fetch(`${origin}/3/device/${tokens[n]}`, {
    method: 'POST',
    protocol: 'http2',
    redirect: 'manual',
    headers: {
      authorization,
      'apns-topic': 'com.example.bench',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': '1800000000',
      'apns-collapse-id': '019a9f7e-3c1b-7000-8000-000000000000',
      'apns-id': `019a9f7e-3c1b-7000-8000-${n.toString(16).padStart(12, '0')}`,
    },
    body,
  })
  await response.text()
}
