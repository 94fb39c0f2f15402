// PUT /deviceToken with distinct tokens and three tags over 64 connections, beside a bare Elysia route of the same
// shape without a database:  bun scripts/bench/register.ts [calls] [rounds]
import { cpuMs, median, rssMb } from './process-figures.ts'
import { startServiceProcess, tokenOf } from './service-process.ts'

const [count = '50000', rounds = '3'] = process.argv.slice(2)
const calls = Number(count)
const CONNECTIONS = 64

await using service = await startServiceProcess({ devices: 0 })
const bare = Bun.spawn([process.execPath, `${import.meta.dir}/bare-route.ts`], { stdout: 'pipe' })
const bareUrl = new TextDecoder().decode((await bare.stdout.getReader().read()).value).trim()

const results = { bare: [] as number[], service: [] as number[] }
let base = 0
for (let round = 0; round < Number(rounds); round++) {
  results.bare.push(await run(bareUrl))
  results.service.push(await run(service.url))
  base += calls
}
console.log(`bare route   ${Math.round(median(results.bare))} calls/s`)
console.log(`service      ${Math.round(median(results.service))} calls/s, durable before the answer`)
console.log(`ratio        ${(median(results.service) / median(results.bare)).toFixed(2)}`)
console.log(
  `service CPU  ${((cpuMs(service.pid) * 1000) / base).toFixed(0)} µs a call, RSS ${rssMb(service.pid).peak} MB at most`,
)
bare.kill()

async function run(url: string): Promise<number> {
  const bodies = Array.from({ length: calls }, (_, n) =>
    JSON.stringify({
      token: tokenOf(base + n),
      platform: '0',
      tag: ['one', `two-${n % 50}`, `three-${n % 1000}`],
      alias: `user-${base + n}`,
    }),
  )
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < calls) {
        const response = await fetch(`${url}/deviceToken`, {
          method: 'PUT',
          headers: service.headers,
          body: bodies[next++] ?? '',
        })
        if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
        await response.text()
      }
    }),
  )
  return calls / ((performance.now() - started) / 1000)
}
