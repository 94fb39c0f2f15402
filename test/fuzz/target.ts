import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/database.ts'
import { apiOf } from '../faults/stage/api.ts'
import { startService } from '../faults/stage/service.ts'
import type { Program } from '../faults/stage/service.ts'
import type { Json } from '../support/openapi.ts'
import type { Side } from './attack.ts'
import { adminCalls, callsOf } from './known-calls.ts'

/** A service as a process of its own that is there to be attacked, with a simulated application without rate limits. */
export interface Target extends AsyncDisposable {
  readonly pid: number
  /** Of its API. */
  readonly url: string
  readonly adminUrl: string
  readonly data: string
  /** The API, and the admin listener. */
  readonly sides: readonly [Side, Side]
  /** What it has logged as an error. */
  errors(): readonly string[]
  /** Its exit code; `null` while it runs. */
  readonly exitCode: number | null
}

export async function openTarget(program: Program): Promise<Target> {
  await using opened = new AsyncDisposableStack()
  const data = await mkdtemp(join(tmpdir(), 'bellhop-fuzz-'))
  opened.defer(() => rm(data, { recursive: true, force: true }))
  const application = applicationIn(data)
  const service = opened.use(startService({ program, data, env: {} }))
  const addresses = await service.ready
  if (addresses === null) throw new Error(`not ready: ${service.log()}`)
  let exitCode: number | null = null
  void service.exited.then((code) => (exitCode = code))

  const document = (await (await fetch(`${addresses.api}/openapi.json`)).json()) as Json
  const push = await apiOf(application, () => addresses.api).call('POST', '/push/all', { tags: ['a'], msg: 'x' })
  const calls = callsOf(document, application, String(push?.body.id))
  const running = opened.move()
  return {
    pid: service.pid,
    url: addresses.api,
    adminUrl: addresses.admin,
    data,
    sides: [
      { url: addresses.api, calls },
      { url: addresses.admin, calls: adminCalls() },
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

/** Simulated, and without limits. */
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
