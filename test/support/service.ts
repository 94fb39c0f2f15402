import type { Argon2 } from '../../src/admin/password.ts'
import { createApplicationStore } from '../../src/application/application-store.ts'
import type { Limits } from '../../src/application/application.ts'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import { makeVapid } from '../../src/application/vapid.ts'
import { readApnsKey, readServiceAccount } from '../../src/application/credential.ts'
import { createUserKeyStore } from '../../src/application/user-key-store.ts'
import { createServedCommands } from '../../src/cli/remote/served-commands.ts'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { createLog } from '../../src/log.ts'
import { loadSealingKey } from '../../src/sealing/sealing-key.ts'
import type { Overrides } from '../../src/server/overrides.ts'
import { createServer } from '../../src/server/server.ts'
import type { Server } from '../../src/server/server.ts'
import type { Config } from '../../src/settings/parse.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { layNewDatabase } from './new-database.ts'
import { misfits, operationsOf } from './openapi.ts'
import type { Json } from './openapi.ts'
import { sharedKeys } from './rsa-keys.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { createWaits } from './waits.ts'

export interface Credentials {
  readonly id: string
  readonly secret: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed where it is JSON. */
  readonly body: any
}

export type LogLine = Readonly<Record<string, unknown>>

export interface Call {
  /** An object is sent as JSON, a string or bytes as they are. */
  readonly body?: unknown
  /** Over the usual ones; `null` leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Whose credentials to send: with the secret (default), without it, or none. */
  readonly as?: 'backend' | 'device' | 'nobody'
  readonly application?: Credentials
}

export interface Service extends AsyncDisposable {
  readonly url: string
  readonly adminUrl: string
  /** The data directory. */
  readonly data: string
  /** Simulated, and without rate limits unless the test asks for some. */
  readonly application: Credentials
  readonly server: Server
  /** A second connection to the same file, as of a command in a process of its own: after a transaction it tells the server. */
  readonly database: Database
  /** What was logged, one object a line. */
  readonly log: readonly LogLine[]
  /** The first line, past or to come, that matches. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>
  call(method: string, path: string, call?: Call): Promise<Answer>
  put(path: string, body: unknown, call?: Call): Promise<Answer>
  post(path: string, body: unknown, call?: Call): Promise<Answer>
  get(path: string, call?: Call): Promise<Answer>
  /** Another application, as `app create` would make it. */
  addApplication(name: string, limits?: Partial<Limits>, simulated?: boolean): Credentials
  /** Points an application at the simulator, as `app simulate` would. */
  simulate(application: Credentials): void
  /**
   * Gives an application the credentials that a simulator has issued for it, as `app apns` and `app fcm` would.
   * `providers`: default both.
   */
  equip(application: Credentials, simulator: Simulator, providers?: readonly ('apns' | 'fcm')[]): void
  /** Has the events of an application told to a webhook, as `app webhook` would. */
  hook(application: Credentials, webhook: Parameters<ReturnType<typeof createWebhookStore>['put']>[1]): void
  /** Makes what proofs of an application's users are made with, as `app user-key` would. `overlapMs`: default 0. */
  makeUserKey(application: Credentials, overlapMs?: number): string
  /** Makes the key by which browsers are sent to, as `app webpush` would; its public half. */
  makeWebPushKey(application: Credentials): string
  /** Changes limits of an application, as `app limits` would. */
  limit(application: Credentials, limits: Partial<Limits>): void
  /** Deletes an application, as `app delete` would. */
  remove(application: Credentials): void
  /** Stops it and starts it again on the same data. */
  restart(): Promise<Service>
}

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: () => number
  readonly limits?: Partial<Limits>
  /** Default true: pushes go to the built-in simulator. */
  readonly simulated?: boolean
  readonly config?: Partial<Config>
  /** Default: one with room; with `data` the disk that it is on. */
  readonly disk?: Overrides['disk']
  readonly sync?: Overrides['sync']
  readonly openTransport?: Overrides['openTransport']
  readonly resolve?: Overrides['resolve']
  /** A data directory to go on with; else a new one, removed at the end. */
  readonly data?: string
  readonly application?: Credentials
}

interface Description {
  readonly document: Json
  /** By method and number of segments. */
  readonly operations: ReadonlyMap<string, readonly { readonly parts: readonly string[]; readonly detail: Json }[]>
}

/** Bun's, at a hundredth of the cost: no test is about that of a password, but test/admin/password.test.ts. */
const QUICK_ARGON2: Argon2 = {
  hash: (password) => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 }),
  verify: (password, hash) => Bun.password.verify(password, hash),
}

/** Of a service without and with --compat. */
const descriptions = new Map<boolean, Promise<Description>>()

async function describe(compat: boolean): Promise<Description> {
  await using service = await startService({ simulated: false, config: { compat } })
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Json
  const operations = operationsOf(document).map(({ method, path, detail }) => ({
    method,
    parts: path.split('/'),
    detail,
  }))
  return { document, operations: Map.groupBy(operations, ({ method, parts }) => `${method} ${parts.length}`) }
}

/** It goes with the service, unless it was given. */
function dataOf({ data }: ServiceOptions): ReturnType<typeof temporaryDirectory> {
  if (data !== undefined) return { path: data, [Symbol.dispose]() {} }
  const own = temporaryDirectory('bellhop')
  layNewDatabase(own.path)
  return own
}

/** Whatever a test calls for: a success is as the documentation says. */
async function expectDescribed(method: string, path: string, { status, body }: Answer, compat: boolean): Promise<void> {
  const known = descriptions.get(compat) ?? describe(compat)
  descriptions.set(compat, known)
  const { document, operations } = await known
  const segments = new URL(path, 'http://localhost').pathname.split('/')
  const described = operations
    .get(`${method} ${segments.length}`)
    ?.find(({ parts }) => parts.every((part, n) => part === segments[n] || part.startsWith('{')))
  const schema = described?.detail['responses'][status]?.content?.['application/json'].schema
  if (schema === undefined) return
  const found = misfits(document, schema, body)
  if (found.length > 0) throw new Error(`${method} ${path} ${status} is not as documented: ${found.join('; ')}`)
}

/** Of which a service reserves 1 MiB: to take 64 of the real one would be most of its start. */
const smallDisk = () => ({ sizeBytes: 20 * 1024 * 1024, freeBytes: 1024 ** 3 })

/** The whole service in this process, on real sockets and a real database file. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const clock = options.clock ?? systemClock
  const own = dataOf(options)
  const data = own.path
  const disk = options.disk ?? (options.data === undefined ? smallDisk : null)
  const second = openDatabase(data)
  let server: Server | null = null
  const database: Database = {
    ...second,
    transact(work) {
      const result = second.transact(work)
      if (!second.inTransaction()) server?.changed()
      return result
    },
  }
  const applications = createApplicationStore({ database, clock })

  function addApplication(name: string, limits: Partial<Limits> = {}, simulated = true): Credentials {
    const made = applications.create(name)
    if (made.kind !== 'created') throw new Error(made.kind)
    const { id } = made.application
    applications.setLimits(id, { rate: 0, backendRate: 0, ...limits })
    applications.setSimulated(id, simulated)
    return { id, secret: made.secret }
  }

  const application = options.application ?? addApplication('test', options.limits, options.simulated)
  const lines: LogLine[] = []
  const { changed, until } = createWaits()
  const started = await createServer(
    {
      listen: { host: '127.0.0.1', port: 0 },
      adminListen: { host: '127.0.0.1', port: 0 },
      adminHost: null,
      publicUrl: null,
      data,
      pushServices: null,
      apnsUrl: 'https://127.0.0.1:1',
      apnsSandboxUrl: 'https://127.0.0.1:1',
      fcmUrl: 'https://127.0.0.1:1',
      fcmTokenUrl: 'https://127.0.0.1:1/token',
      gatewayCa: null,
      proxy: null,
      transport: 'h2',
      key: null,
      logLevel: 'debug',
      logFormat: 'json',
      drainSeconds: 5,
      maxInFlight: 4096,
      ttlClock: 'elapsed',
      compat: false,
      headerPrefix: null,
      tlsCert: null,
      tlsKey: null,
      hstsDays: 180,
      trustedProxies: null,
      backup: null,
      backupEvery: 86_400_000,
      backupKeep: 7,
      backupVerify: 'on',
      keepGone: 7_776_000_000,
      docs: 'on',
      webhookPrivate: false,
      ...options.config,
    },
    {
      clock,
      ...(options.random && { random: options.random }),
      rsaKeys: sharedKeys,
      argon2: QUICK_ARGON2,
      serveCommand: createServedCommands({ clock }),
      ...(disk && { disk }),
      ...(options.sync && { sync: options.sync }),
      ...(options.openTransport && { openTransport: options.openTransport }),
      ...(options.resolve && { resolve: options.resolve }),
      log: createLog('debug', clock.now, (line) => {
        lines.push(JSON.parse(line))
        changed()
      }),
    },
  )

  server = started

  async function call(method: string, path: string, { body, headers = {}, as, application: of }: Call = {}) {
    const { id, secret } = of ?? application
    const sent: Record<string, string | null> = {
      'accept-version': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(as !== 'nobody' && { 'x-service-appid': id }),
      ...((as ?? 'backend') === 'backend' && { 'x-service-secret': secret }),
      ...headers,
    }
    const response = await fetch(started.url + path, {
      method,
      headers: Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== null),
      redirect: 'manual',
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    const answer = { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
    if (answer.status < 300 && json) await expectDescribed(method, path, answer, options.config?.compat ?? false)
    return answer
  }

  function opened({ id }: Credentials) {
    const found = applications.find(id)
    const key = loadSealingKey({ dataDirectory: data, hasCredentials: true })
    if (found === null || key.kind === 'problem') throw new Error('no such application, or no key')
    return { application: found, key: key.key }
  }

  let stopped = false
  async function stop(): Promise<void> {
    if (stopped) return
    stopped = true
    await started[Symbol.asyncDispose]()
    database[Symbol.dispose]()
  }

  return {
    url: started.url,
    adminUrl: started.adminUrl,
    data,
    application,
    server: started,
    database,
    log: lines,
    async logged(matches) {
      let found: LogLine | undefined
      await until(() => (found = lines.find(matches)) !== undefined)
      return found ?? {}
    },
    call,
    put: (path, body, more) => call('PUT', path, { ...more, body }),
    post: (path, body, more) => call('POST', path, { ...more, body }),
    get: (path, more) => call('GET', path, more),
    addApplication,
    simulate: ({ id }) => void applications.setSimulated(id, true),
    equip(credentials, simulator, providers = ['apns', 'fcm']) {
      const { application: found, key } = opened(credentials)
      const issued = simulator.issue(found.id)
      const apns = readApnsKey({ ...issued.apnsKey, environment: 'auto' })
      const fcm = readServiceAccount(issued.serviceAccount)
      if (apns.kind === 'problem' || fcm.kind === 'problem') throw new Error('no credential')
      const store = createCredentialStore({ database, clock, key })
      database.transact(() => {
        if (providers.includes('apns')) store.put(found, apns)
        if (providers.includes('fcm')) store.put(found, fcm)
      })
    },
    hook(credentials, webhook) {
      const { application: found, key } = opened(credentials)
      createWebhookStore({ database, clock, key }).put(found, webhook)
    },
    makeUserKey(credentials, overlapMs = 0) {
      const { application: found, key } = opened(credentials)
      const userKeys = createUserKeyStore({ database, clock, key })
      return database.transact(() => userKeys.rotate(found, overlapMs)).key
    },
    makeWebPushKey(credentials) {
      const { application: found, key } = opened(credentials)
      const vapid = makeVapid('mailto:you@example.com')
      const store = createCredentialStore({ database, clock, key })
      database.transact(() => store.put(found, vapid))
      return vapid.publicKey
    },
    limit: ({ id }, limits) => void applications.setLimits(id, limits),
    remove: ({ id }) => void database.transact(() => applications.remove(id)),
    async restart() {
      await stop()
      return startService({ ...options, data, application })
    },
    async [Symbol.asyncDispose]() {
      await stop()
      own[Symbol.dispose]()
    },
  }
}
