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

/** How long a start may take, in ms. */
const START_MS = 60_000

/** One application, as its backend sees it. */
export interface Party {
  readonly api: Api
  readonly ledger: Ledger
}

/** One scenario's own service, gateways, data directory and books. */
export interface Stage extends AsyncDisposable, Party {
  readonly seed: number
  readonly program: Program
  readonly application: { readonly id: string; readonly secret: string }
  readonly data: string
  readonly apns: Gateway
  readonly fcm: Gateway
  /** Push services of browsers: none where the scenario has no browsers, else two; the second never says `Location`. */
  readonly pushServices: readonly Gateway[]
  /** Further applications. */
  readonly others: Party[]
  readonly pushes: Pushes
  readonly registrar: Registrar
  /** Lives that were killed, and when; ms since the Unix epoch. */
  readonly killedAt: ReadonlyMap<number, number>
  /** What went wrong with the process itself, or with what a scenario looks at besides. */
  readonly accidents: readonly string[]
  accuse(accident: string): void
  /** The address of the admin listener; `null` while there is none. */
  readonly adminUrl: string | null
  /** Of its API. */
  readonly url: string | null
  /** Of its process; `null` while there is none. */
  readonly pid: number | null
  /** Whom its gateways let in. */
  readonly known: KnownCredentials
  /** Has Google refuse the next request for an access token. */
  refuseGrant(fault: GrantFault): void
  /** Starts the service; waits until it is ready, unless `untilReady` is false: then it can be called once it is. */
  start(options?: StartOptions): Promise<void>
  kill(): Promise<void>
  /** SIGTERM: resolves with the exit code, and notes an accident unless it is one of `codes`. Default 0 alone. */
  stop(codes?: readonly number[]): Promise<number | null>
  /** SIGSTOP: what is asked meanwhile is asked at once when the returned function has it go on. */
  freeze(): () => void
  /** Of lives of the service whose writes a disk did not take at their end: they sent what they could not write down. */
  readonly unwritten: Set<number>
  /** Which process of the service runs, or ran last: 1 is the first. */
  readonly life: number
  /** Standard error of all its lives. */
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
  /** Where the data directory is to be; `null`: anywhere. It is made by whoever names it. */
  readonly directory: string | null
  /** Whether there are push services of browsers. Default: there are none. */
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
  // Each service keeps a reserve of its own, as large as its disk allows.
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
  // No device of the harness is a sandbox one. A token that one environment does not know is tried in the other.
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

  /** What a dead process sent must not be taken for the next one's. */
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
    // By somebody else, before its stop was over.
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
      // One that ended by itself has left nothing on its way either.
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
        // One that hangs would hold its data directory against the next one, and outlive the harness.
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
