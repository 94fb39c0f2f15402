import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { startTokenEndpoint } from '../../../src/gateway/simulator/fcm/token-endpoint.ts'
import type { GrantFault } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import { createTokenIssuer } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { apnsProtocol } from '../gateways/apns-protocol.ts'
import { fcmProtocol } from '../gateways/fcm-protocol.ts'
import { startGateway } from '../gateways/gateway.ts'
import { webPushProtocol } from '../gateways/webpush-protocol.ts'
import type { Gateway } from '../gateways/gateway.ts'
import { apiOf } from './api.ts'
import type { Api } from './api.ts'
import type { Ledger } from './ledger.ts'
import { pushesTo } from './pushes.ts'
import type { Pushes } from './pushes.ts'
import { startRegistrar } from './registrations.ts'
import type { Registrar } from './registrations.ts'
import { KILLED, startProcess } from '../../support/service-process.ts'
import type { Program, StartedProcess } from '../../support/service-process.ts'
import type { Template } from './template.ts'

/** Time limit of a start, in ms. */
const START_MS = 60_000

/** One application. */
export interface Party {
  readonly api: Api
  readonly ledger: Ledger
}

/** A scenario's own service, gateways, data directory and ledger. */
export interface Stage extends AsyncDisposable, Party {
  readonly seed: number
  readonly program: Program
  readonly application: { readonly id: string; readonly secret: string }
  readonly data: string
  readonly apns: Gateway
  readonly fcm: Gateway
  /** None without browsers, otherwise two. The second never sends `Location`. */
  readonly pushServices: readonly Gateway[]
  readonly others: Party[]
  readonly pushes: Pushes
  readonly registrar: Registrar
  /** Killed lives, with the time in ms since the Unix epoch. */
  readonly killedAt: ReadonlyMap<number, number>
  /** Problems of the process, and accusations of a scenario. */
  readonly accidents: readonly string[]
  accuse(accident: string): void
  /** `null`: it does not run. */
  readonly adminUrl: string | null
  readonly url: string | null
  /** `null`: it does not run. */
  readonly pid: number | null
  /** Credentials that its gateways accept. */
  readonly known: KnownCredentials
  /** Google refuses the next request for an access token. */
  refuseGrant(fault: GrantFault): void
  /** Starts the service and waits until it is ready; with `untilReady` false it does not wait. */
  start(options?: StartOptions): Promise<void>
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code. Any that is not in `codes` is an accident. Default 0. */
  stop(codes?: readonly number[]): Promise<number | null>
  /** SIGSTOP. Calls wait until the returned function continues the process. */
  freeze(): () => void
  /** Lives whose last sent pages could not be stored. */
  readonly unwritten: Set<number>
  /** The current or last process of the service, counted from 1. */
  readonly life: number
  /** Standard error of all lives. */
  log(): string
}

export interface StartOptions {
  readonly untilReady?: boolean
  readonly bunFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface StageOptions {
  readonly template: Template
  readonly program: Program
  readonly seed: number
  /** The parent of the data directory; `null`: a temporary one. */
  readonly directory: string | null
  /** Default false. */
  readonly browsers?: boolean
}

export async function openStage({
  template,
  program,
  seed,
  directory,
  browsers = false,
}: StageOptions): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const own = opened.use(temporaryDirectory('bellhop-fault')).path
  const data = join(directory ?? own, 'data')
  // Each service makes its own reserve, sized by its disk.
  await cp(template.data, data, { recursive: true, filter: (path) => basename(path) !== 'reserve' })

  let life = 0
  let urls: Awaited<StartedProcess['ready']> = null
  let service: StartedProcess | null = null
  let earlierLogs = ''
  const killedAt = new Map<number, number>()
  const accidents: string[] = []

  const { known, certificates, trusted, application } = template
  const tokens = createTokenIssuer({
    accountOf: (address) => known.serviceAccount(address),
    audiences: () => [tokenEndpoint.url],
    newId: () => crypto.randomUUID(),
  })
  const pem = certificates.usual
  const tokenEndpoint = opened.use(startTokenEndpoint({ clock: systemClock, pem, tokens, script: () => null }))
  const shared = { certificates, seed, life: () => life }
  const apns = opened.use(await startGateway({ ...shared, protocol: apnsProtocol(known, 'production') }))
  const fcm = opened.use(await startGateway({ ...shared, protocol: fcmProtocol(known, tokens) }))
  // The harness has no sandbox devices. A token that one environment refuses is tried in the other.
  const sandbox = opened.use(await startGateway({ ...shared, protocol: apnsProtocol(known, 'sandbox') }))
  sandbox.plan = () => ({ kind: 'refuse', as: 'bad token' })
  const pushServices: Gateway[] = []
  for (const location of browsers ? [true, false] : []) {
    pushServices.push(opened.use(await startGateway({ ...shared, protocol: webPushProtocol(known, { location }) })))
  }
  const environment = {
    BELLHOP_APNS_URL: apns.origin,
    BELLHOP_APNS_SANDBOX_URL: sandbox.origin,
    BELLHOP_FCM_URL: fcm.origin,
    BELLHOP_FCM_TOKEN_URL: tokenEndpoint.url,
    BELLHOP_GATEWAY_CA: trusted,
    ...(browsers && { BELLHOP_PUSH_SERVICES: pushServices.map(({ origin }) => origin).join(',') }),
  }

  /** Requests of a dead process must not count for the next one. */
  async function untilQuiet(): Promise<void> {
    const open = () => [apns, sandbox, fcm, ...pushServices].reduce((sum, { connections }) => sum + connections.open, 0)
    for (let quiet = 0; quiet < 2; quiet = open() === 0 ? quiet + 1 : 0) {
      await Bun.sleep(10)
    }
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const ended = service
    if (ended === null) return null
    service = null
    urls = null
    if (signal === 'SIGKILL') killedAt.set(life, Date.now())
    const exitCode = await ended.kill(signal)
    // Killed by somebody else before the stop ended.
    if (exitCode === KILLED) killedAt.set(life, Date.now())
    earlierLogs += ended.log()
    await untilQuiet()
    return exitCode
  }

  const ledger = template.ledger.copy()
  const api = apiOf(application, () => urls?.url ?? null)
  const registrar = startRegistrar(api, ledger, seed)
  opened.defer(() => registrar.stop())
  opened.defer(async () => void (await end('SIGKILL')))

  const running = opened.move()
  return {
    seed,
    program,
    application,
    data,
    apns,
    fcm,
    pushServices,
    others: [],
    api,
    ledger,
    pushes: pushesTo(api, ledger, seed),
    registrar,
    killedAt,
    accidents,
    accuse: (accident) => void accidents.push(accident),
    known,
    refuseGrant(fault) {
      const { project_id: project } = JSON.parse(known.issue(application.id).serviceAccount) as { project_id: string }
      tokens.refuseNext(project, fault)
    },
    get url() {
      return urls?.url ?? null
    },
    get adminUrl() {
      return urls?.adminUrl ?? null
    },
    get pid() {
      return service?.pid ?? null
    },
    async start({ untilReady = true, bunFlags = [], env = {} } = {}) {
      // Also after one that ended by itself.
      await untilQuiet()
      life++
      const started = startProcess({ program, data, bunFlags, env: { ...environment, ...env } })
      service = started
      void started.exited.then((exitCode) => {
        if (service !== started) return
        service = null
        urls = null
        earlierLogs += started.log()
        killedAt.set(life, Date.now())
        accidents.push(`the service ended by itself with ${exitCode}: ${started.log().slice(-2000)}`)
      })
      if (!untilReady) {
        void started.ready.then((ready) => {
          if (service === started) urls = ready
        })
        return
      }
      const ready = await Promise.race([started.ready, Bun.sleep(START_MS).then(() => 'late' as const)])
      if (ready === 'late') {
        // A process that hangs would keep its data directory locked, and outlive the harness.
        accidents.push(`not ready after ${START_MS / 1000} s: ${started.log().slice(-2000)}`)
        await end('SIGKILL')
        return
      }
      if (ready === null) accidents.push(`not ready: ${started.log().slice(-2000)}`)
      if (service === started) urls = ready
    },
    async kill() {
      await end('SIGKILL')
    },
    freeze() {
      const frozen = service
      frozen?.signal('SIGSTOP')
      return () => frozen?.signal('SIGCONT')
    },
    unwritten: new Set(),
    get life() {
      return life
    },
    async stop(codes = [0]) {
      const exitCode = await end('SIGTERM')
      if (exitCode !== null && !codes.includes(exitCode))
        accidents.push(`SIGTERM ended it with ${exitCode}: ${earlierLogs.slice(-2000)}`)
      return exitCode
    },
    log: () => earlierLogs + (service?.log() ?? ''),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
