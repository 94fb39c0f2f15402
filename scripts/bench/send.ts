// A broadcast by the whole service beside a bare loop of the same fetch, in turns, against a fast stand-in for APNs:
//   bun scripts/bench/send.ts https://localhost:PORT CA.pem [devices] [rounds]
import { cpuMs, median, rssMb } from './process-figures.ts'
import { startServiceProcess } from './service-process.ts'

const [origin = '', ca = '', count = '200000', rounds = '5'] = process.argv.slice(2)
const devices = Number(count)

await using service = await startServiceProcess({
  devices,
  env: { BELLHOP_APNS_URL: origin, BELLHOP_GATEWAY_CA: ca },
})
const idle = rssMb(service.pid).now
const bare: Figures[] = []
const whole: Figures[] = []

interface Figures {
  readonly perSecond: number
  readonly cpuUs: number
}

for (let round = 0; round < Number(rounds); round++) {
  bare.push(bareLoop())
  whole.push(await broadcast(round + 1))
}

const of = (figures: readonly Figures[], name: keyof Figures) => median(figures.map((one) => one[name]))
console.log(`devices ${devices}, rounds ${rounds}; medians`)
console.log(`bare loop   ${kilo(of(bare, 'perSecond'))}k/s  ${of(bare, 'cpuUs').toFixed(1)} µs CPU a push`)
console.log(`broadcast   ${kilo(of(whole, 'perSecond'))}k/s  ${of(whole, 'cpuUs').toFixed(1)} µs CPU a push`)
console.log(
  `ratio       ${(of(whole, 'perSecond') / of(bare, 'perSecond')).toFixed(2)} in speed, ${(of(whole, 'cpuUs') / of(bare, 'cpuUs')).toFixed(2)} in CPU`,
)
console.log(`start ${Math.round(service.startMs)} ms, RSS ${idle} MB idle, ${rssMb(service.pid).peak} MB at most`)

function bareLoop(): Figures {
  const child = Bun.spawnSync([process.execPath, `${import.meta.dir}/bare-loop.ts`, origin, ca, count, '1000'], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' },
    stderr: 'inherit',
  })
  const { seconds, cpuMs } = JSON.parse(child.stdout.toString())
  return { perSecond: devices / seconds, cpuUs: (cpuMs * 1000) / devices }
}

async function broadcast(round: number): Promise<Figures> {
  const cpu = cpuMs(service.pid)
  const started = performance.now()
  await service.call('POST', '/push/all', { platform: 0, msg: 'Hello', sound: 'default', badge: '' })
  for (;;) {
    const { s } = await service.call('GET', '/analytics')
    if (s >= devices * round) break
    await Bun.sleep(20)
  }
  const seconds = (performance.now() - started) / 1000
  return { perSecond: devices / seconds, cpuUs: ((cpuMs(service.pid) - cpu) * 1000) / devices }
}

function kilo(n: number): string {
  return (n / 1000).toFixed(1)
}
