import { createApplicationStore } from '../../src/application/application-store.ts'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/database.ts'
import { apiOf } from '../faults/stage/api.ts'
import { startProcess } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { operationsOf } from '../support/openapi.ts'
import type { Json } from '../support/openapi.ts'
import type { Side } from './attack.ts'
import type { KnownCall } from './message.ts'

/** Without the document itself: it is large and takes no input. */
const BESIDE = ['/healthz', '/manual', '/nowhere']

/** Calls of an operator's programs to the admin listener. */
const ADMIN = ['/healthz', '/readyz', '/metrics', '/nowhere']

/** A service process to attack, with a simulated application without limits. */
export interface Target extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  readonly data: string
  readonly application: { readonly id: string; readonly secret: string }
  /** The API and the admin listener. */
  readonly sides: readonly [Side, Side]
  /** Logged errors. */
  errors(): readonly string[]
  /** `null`: it runs. */
  readonly exitCode: number | null
}

export async function openTarget(program: Program): Promise<Target> {
  await using opened = new AsyncDisposableStack()
  const data = opened.use(temporaryDirectory('bellhop-fuzz')).path
  const application = applicationIn(data)
  const service = opened.use(startProcess({ program, data }))
  const addresses = await service.ready
  if (addresses === null) throw new Error(`not ready: ${service.log()}`)
  let exitCode: number | null = null
  void service.exited.then((code) => (exitCode = code))

  const { url, adminUrl } = addresses
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Json
  const push = await apiOf(application, () => url).call('POST', '/push/all', { tags: ['a'], msg: 'x' })
  const calls = callsOf(document, application, String(push?.body.id))
  const running = opened.move()
  return {
    pid: service.pid,
    url,
    adminUrl,
    data,
    application,
    sides: [
      { url, calls },
      { url: adminUrl, calls: ADMIN.map(bareCall) },
    ],
    errors: () =>
      service
        .log()
        .split('\n')
        .filter((line) => line !== '' && !/"level":"(info|warn)"/.test(line)),
    get exitCode() {
      return exitCode
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function applicationIn(data: string) {
  using database = openDatabase(data)
  const applications = createApplicationStore({ database, clock: systemClock })
  const made = applications.create('fuzz')
  if (made.kind !== 'created') throw new Error(made.kind)
  const { id } = made.application
  applications.setSimulated(id, true)
  applications.setLimits(id, { rate: 0, backendRate: 0, quota: 0 })
  return { id, secret: made.secret }
}

/** Every call of the API document with each example, as an app and as a backend. `push`: id of a push. */
export function callsOf(document: Json, { id, secret }: Target['application'], push: string): readonly KnownCall[] {
  const identified = [
    ['Accept-Version', '1'],
    ['X-SERVICE-APPID', id],
  ] as const
  const described = operationsOf(document).flatMap(({ method, path, detail }): KnownCall[] => {
    const { example, examples = {} } = detail['requestBody']?.content['application/json'] ?? { example: null }
    const bodies: readonly (object | null)[] =
      example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
    const parameters: readonly Json[] = detail['parameters']
    const own = parameters
      .filter((one) => one['in'] === 'header' && one['required'] === true && one['name'] !== 'Accept-Version')
      .map((one) => [String(one['name']), String(one['example'])] as const)
    const asApp = [...identified, ...own]
    const asBackend = [...asApp, ['X-SERVICE-SECRET', secret] as const]
    return bodies.flatMap((body) =>
      [asApp, asBackend].map((headers) => ({ method, path: path.replace('{id}', push), headers, body })),
    )
  })
  return [...described, ...BESIDE.map(bareCall)]
}

function bareCall(path: string): KnownCall {
  return { method: 'GET', path, headers: [], body: null }
}
