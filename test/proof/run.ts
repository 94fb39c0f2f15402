// Proves the HTTP/2 transports against servers of other projects and a gateway that cuts connections.
import { runScript, tell, UsageError } from '../support/proof-script.ts'
import { compareWithNghttp2 } from './hpack/compare.ts'
import { runServers } from './servers.ts'
import { HARMS } from './soak/harms.ts'
import { runSoak } from './soak/soak.ts'
import { TRANSPORTS } from './transports.ts'

const NAMES = TRANSPORTS.map(({ name }) => name)

const HELP = `Usage: bun run transports servers [--transport NAME] [--only PEER] [--requests N]
       bun run transports soak [--transport NAME] [--requests N] [--minutes N | --fast] [--seed N] [--harm-every N] [--harm NAME]…
       bun run transports hpack [--requests N] [--seed N]

servers: sends through each transport to each server installed here (node, nghttpd, go, nginx, h2o), with limits of 1, 100
and 1,000 streams and with GOAWAY every 1,000 requests, and compares what the server has processed with what was answered.
  --transport NAME  only this one: ${NAMES.join(', ')}
  --only PEER       only servers with this in their name
  --requests N      a run (default 20000)

soak: sends to a gateway of our own that resets streams, sends GOAWAY and cuts connections at random.
  --transport NAME  default ${NAMES.at(-1)}
  --requests N      default 5000000
  --minutes N       how long they take (default 60)
  --fast            as fast as possible
  --seed N          of what the gateway does (default 1)
  --harm-every N    requests from one harm to the next, on average (default 700)
  --harm NAME       only this harm; repeatable: ${HARMS.join(', ')}

hpack: compares our header compression with nghttp2's, which is in node: each request's headers are encoded by us, decoded
and encoded again by nghttp2, and decoded by us, while both sides change the sizes of their tables.
  --requests N      default 100000
  --seed N          of the headers (default 1)

Exits with 1 if a request was lost, or processed again though known to be processed or said to be unsent, or answered
wrongly, or if a transport broke a rule of HTTP/2 or opened too many connections, or if a header came back changed.`

const OPTIONS = {
  transport: { type: 'string' },
  only: { type: 'string' },
  requests: { type: 'string' },
  minutes: { type: 'string', default: '60' },
  fast: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  'harm-every': { type: 'string', default: '700' },
  harm: { type: 'string', multiple: true },
} as const

const DEFAULT_REQUESTS: Readonly<Record<string, number>> = { servers: 20_000, soak: 5_000_000, hpack: 100_000 }

await runScript(HELP, OPTIONS, async ({ values, positionals }) => {
  const [command] = positionals
  const transports = TRANSPORTS.filter(({ name }) => values.transport === undefined || values.transport === name)
  const transport = transports.at(-1)
  const requests = Number(values.requests ?? DEFAULT_REQUESTS[command ?? ''] ?? 1)
  const fullMinutes = Number(values.minutes)
  const [seed, harmEvery] = [Number(values.seed), Number(values['harm-every'])]
  const harms = HARMS.filter((harm) => values.harm?.includes(harm) ?? true)
  const isCommand = positionals.length === 1 && command !== undefined && command in DEFAULT_REQUESTS
  const areNumbers = requests >= 1 && fullMinutes > 0 && harmEvery >= 1 && Number.isSafeInteger(requests + seed)
  if (!isCommand || !areNumbers || transport === undefined) throw new UsageError(HELP)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  if (command === 'hpack') {
    const { blocks, findings, written, read, peerResizes, ourResizes } = await compareWithNghttp2(requests, seed)
    console.log(`${blocks} header blocks each way, ${written} bytes of ours and ${read} of nghttp2's`)
    console.log(`table sizes changed: ${peerResizes} times for our encoder, ${ourResizes} times for nghttp2's`)
    return tell(findings)
  }
  if (command === 'servers') {
    const failed = await runServers({ transports, only: values.only ?? null, requests, print: console.log })
    console.log(failed === 0 ? '\nnothing found' : `\n${failed} runs differ`)
    return failed === 0 ? 0 : 1
  }
  const minutes = values.fast ? null : fullMinutes
  const order = { transport, requests, minutes, seed, harmEvery, harms, print: console.log }
  return tell(await runSoak(order))
})
