import { join } from 'node:path'
import { answerTo, DEADLINE_MS } from '../../src/gateway/transport/transport.ts'
import { makeCertificate } from '../support/certificate.ts'
import { endOf } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { faultsOf, GatewayBook, judge, SenderBook } from './books.ts'
import { noteOf, wrongWithEcho } from './notes.ts'
import { freePort } from './peers/child.ts'
import { GO } from './peers/go.ts'
import { H2O } from './peers/h2o.ts'
import { NGHTTPD } from './peers/nghttpd.ts'
import { NGINX } from './peers/nginx.ts'
import { NODE } from './peers/node.ts'
import { refusalBody } from './peers/peer.ts'
import type { Peer, PeerOrder } from './peers/peer.ts'
import { sendAll } from './sender.ts'
import type { ProvenTransport } from './transports.ts'

const PEERS: readonly Peer[] = [NODE, NGHTTPD, GO, NGINX, H2O]

const GOAWAY_AFTER = 1000
const IN_FLIGHT = 1000
/** Per status. */
const REFUSALS = 20

interface ServersOrder {
  readonly transports: readonly ProvenTransport[]
  /** Part of a peer's name; `null`: all. */
  readonly only: string | null
  /** In a run. */
  readonly requests: number
  readonly print: (line: string) => void
}

/** Runs each transport against each peer with each limit; resolves with the number of runs with findings. */
export async function runServers({ transports, only, requests, print }: ServersOrder): Promise<number> {
  let failed = 0
  const peers = PEERS.filter(({ name }) => only === null || name.toLowerCase().includes(only.toLowerCase()))
  print(`${requests} POSTs a run, ${IN_FLIGHT} in flight\n`)
  for (const peer of peers) {
    const version = await versionOf(peer)
    print(version === null ? `${peer.name}: skipped, ${peer.program} is not installed` : `${peer.name}: ${version}`)
  }
  print(`\n${HEAD}`)
  for (const peer of peers.filter(({ program }) => Bun.which(program) !== null))
    for (const maxStreams of peer.limits)
      for (const goawayAfter of peer.sendsGoaway ? [null, GOAWAY_AFTER] : [null])
        for (const transport of transports) {
          const run = await runOne({ peer, transport, maxStreams, goawayAfter, requests })
          print(rowOf(run))
          for (const finding of run.findings) print(`    ${finding}`)
          if (run.findings.length > 0) failed++
        }
  print('\n* the only limit it has')
  return failed
}

interface Run {
  readonly peer: Peer
  readonly transport: ProvenTransport
  readonly maxStreams: number
  readonly goawayAfter: number | null
  readonly requests: number
}

interface RunResult extends Run {
  readonly ms: number
  readonly connections: number
  readonly processed: number
  readonly unsent: number
  readonly unknown: number
  readonly refused: number
  readonly findings: readonly string[]
}

async function runOne(run: Run): Promise<RunResult> {
  const { peer, transport: proven, maxStreams, goawayAfter, requests } = run
  using directory = temporaryDirectory('bellhop-proof')
  const folder = directory.path
  const pem = makeCertificate()
  const order: PeerOrder = {
    maxStreams,
    goawayAfter,
    port: freePort(),
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
    folder,
  }
  await Bun.write(order.certificate, pem.certificate)
  await Bun.write(order.key, pem.privateKey)
  const running = await peer.start(order)
  const transport = proven.open(`https://127.0.0.1:${order.port}`, { ca: pem.certificate, deadlineMs: DEADLINE_MS })
  const sent = new SenderBook(requests)
  const load = { count: requests, inFlight: IN_FLIGHT, request: noteOf, wrongWith: wrongWithEcho }
  const began = performance.now()
  const reasons = await sendAll(transport, load, sent)
  const ms = performance.now() - began
  const refusals = await refuse(peer, transport)
  await transport[Symbol.asyncDispose]()
  const processed = new GatewayBook(requests)
  const { connections } = await running.stop(processed)

  const verdict = judge(sent, processed)
  const allowed = proven.maxConnections + parted(goawayAfter, verdict.processed + refusals.count)
  const findings = [...faultsOf(verdict), ...verdict.examples, ...refusals.wrong]
  if (connections > allowed) findings.push(`${connections} connections, where ${allowed} are allowed`)
  if (findings.length > 0) findings.push(...Array.from(reasons, ([reason, count]) => `${reason}: ${count}`))
  const { unsent, unknown } = verdict.attempts
  return { ...run, ms, connections, processed: verdict.processed, unsent, unknown, refused: refusals.count, findings }
}

/** Connections that the peer may have told to go away. */
function parted(goawayAfter: number | null, requests: number): number {
  return goawayAfter === null ? 0 : Math.floor(requests / goawayAfter)
}

type OpenedTransport = ReturnType<ProvenTransport['open']>

async function refuse(
  { refusals }: Peer,
  transport: OpenedTransport,
): Promise<{ readonly count: number; readonly wrong: readonly string[] }> {
  const asked = refusals.flatMap((status) => Array.from({ length: REFUSALS }, (_, n) => ({ status, n })))
  const wrong = await Promise.all(
    asked.map(async ({ status, n }) => {
      const answer = await askToRefuse(transport, `/refuse/${status}/${n}`, n)
      if (answer.kind === 'failed') return `refusal ${status}: ${answer.reason} (${answer.sent})`
      if (answer.status === status && answer.body === refusalBody(status)) return null
      return `refusal ${status}: ${answer.status} ${answer.body.slice(0, 80)}`
    }),
  )
  return { count: asked.length, wrong: wrong.filter((one) => one !== null) }
}

/** Repeats what the peer did not process: its GOAWAY may have come first. */
async function askToRefuse(transport: OpenedTransport, path: string, n: number) {
  for (let attempt = 0; ; attempt++) {
    const answer = await answerTo(transport, { ...noteOf(n, attempt), path })
    if (answer.kind === 'answer' || answer.sent !== 'no' || attempt === 5) return answer
  }
}

async function versionOf({ program, versionArguments }: Peer): Promise<string | null> {
  if (Bun.which(program) === null) return null
  const { stdout, stderr } = await endOf([program, ...versionArguments])
  return (stdout + stderr).split('\n').find((line) => /\d/.test(line)) ?? '?'
}

const HEAD =
  'transport      peer         streams  GOAWAY  requests/s  connections  processed  unsent  unknown  refused  result'

function rowOf(result: RunResult): string {
  const { peer, transport, maxStreams, goawayAfter, requests, ms, findings } = result
  return [
    transport.name.padEnd(13),
    peer.name.padEnd(11),
    `${maxStreams}${peer.isLimitFixed === true ? '*' : ''}`.padStart(8),
    String(goawayAfter ?? '–').padStart(6),
    String(Math.round((requests / ms) * 1000)).padStart(10),
    String(result.connections).padStart(11),
    String(result.processed).padStart(9),
    String(result.unsent).padStart(6),
    String(result.unknown).padStart(7),
    String(peer.refusals.length === 0 ? '–' : result.refused).padStart(7),
    findings.length === 0 ? 'ok' : 'DIFFERS',
  ].join('  ')
}
