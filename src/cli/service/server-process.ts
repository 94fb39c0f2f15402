import type { Actor } from '../../admin/administrator.ts'
import { within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { startRefusalOf } from '../../database/storage-errors.ts'
import type { Unwritten } from '../../delivery/sender-stats.ts'
import type { Overrides } from '../../server/overrides.ts'
import type { Config } from '../../settings/parse.ts'
import type { ServiceManager } from '../../system/service-manager.ts'
import { operatorOf } from '../../system/operator.ts'
import type { CommandContext, Signal, Signals } from '../command.ts'
import { ALL_SIGNALS, INTERRUPTED, onSignals } from '../signals.ts'

/**
 * starting → (created) → ready, prints `ready …` → (SIGTERM, SIGINT) → stopping: refuses new calls, and running ones
 * have `drainSeconds` → exit code 0, or 3 if something sent is not on disk.
 *
 * starting → (signal) → stops right after the start; during a database upgrade → exit code 0, since it is rolled
 * back.
 *
 * ready → (broken) → exit code 1, or 4 if the database is not the one it opened.
 *
 * any → (second signal) → exit code 130 (SIGINT) or 143 (SIGTERM).
 *
 * SIGHUP ends it (129) if it has a terminal; without one it reloads the TLS files.
 */
export async function runServer(config: Config, options: Options): Promise<number> {
  using stop = watch(options.signals, options.attached)
  return await Promise.race([serve(config, options, stop), stop.second.then((signal) => INTERRUPTED[signal])])
}

interface Breakdown {
  readonly kind: 'disk-failed' | 'database-gone'
  readonly message: string
}

export interface RunningServer extends AsyncDisposable {
  /** The API's, with the actual port. */
  readonly url: string
  readonly adminUrl: string
  setupUrl(): Promise<string | null>
  reload(): void
  readonly broken: Promise<Breakdown>
  /** Sent, but not on disk. */
  unwritten(): Unwritten
}

interface Options {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly clock: Clock
  readonly signals: Signals
  readonly started: () => void
  /** Nothing may write to the database any more, not even to close it. */
  readonly onBroken: () => void
  readonly attached: boolean
  readonly manager: ServiceManager
  readonly serveCommand: CommandContext['serveCommand']
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default `createServer`. */
  readonly start?: (config: Config, onUpgrading: OnUpgrading) => Promise<RunningServer>
}

type OnUpgrading = (underWay: boolean) => void

/** Something sent could not be stored: the next start repeats it. */
const UNWRITTEN = 3

/** The database was removed or replaced. */
const GONE = 4

/** After `drainSeconds`, to close the database and sockets. */
const CLOSING_MS = 5_000

async function serve(config: Config, options: Options, stop: Stop): Promise<number> {
  const { stdout, stderr, clock, started, manager, env } = options
  const {
    start = async (wanted: Config, onUpgrading: OnUpgrading) => {
      const { user, terminal } = operatorOf(env)
      const startedBy: Actor = { kind: 'command', name: user, origin: terminal }
      return startServer(wanted, { serveCommand: await options.serveCommand(), onUpgrading, startedBy })
    },
  } = options
  const interrupted = Promise.withResolvers<null>()
  let upgrading = false
  const interrupt = () => {
    if (upgrading && stop.received()) interrupted.resolve(null)
  }
  void stop.first.then(interrupt)
  const starting = start(config, (underWay) => {
    upgrading = underWay
    interrupt()
  })
  const server = await Promise.race([starting, interrupted.promise])
  if (server === null) {
    stderr('bellhop: Stopped during the database upgrade: it was rolled back, and the next start repeats it.\n')
    return 0
  }
  stop.onHangUp(() => server.reload())
  if (!stop.received()) {
    // A disk that takes no writes stores no link, but the service is ready.
    const setupUrl = await server.setupUrl().catch(() => null)
    const dashboard = setupUrl === null ? '' : `dashboard ${setupUrl} (works once, for 30 minutes)\n`
    // A reader may stop after the first line, and a second write would fail.
    stdout(`ready ${server.url} admin ${server.adminUrl}\n${dashboard}`)
    started()
    manager.ready()
  }
  const broken = await Promise.race([stop.first.then(() => null), server.broken])
  function endBroken({ kind, message }: Breakdown): number {
    options.onBroken()
    stderr(`bellhop: ${message}. Stopped, so that nothing is acknowledged that is not on disk.\n`)
    return kind === 'database-gone' ? GONE : 1
  }
  if (broken !== null) return endBroken(broken)
  manager.stopping()
  const limitMs = config.drainSeconds * 1000 + CLOSING_MS
  const closed = Promise.resolve(server[Symbol.asyncDispose]()).then(() => 'closed' as const)
  const end = await Promise.race([within(clock, limitMs, closed, 'late'), server.broken])
  if (typeof end === 'object') return endBroken(end)
  // Calls answered with 2xx are on disk.
  if (end === 'late')
    stderr('bellhop: Stopped with work in flight after the drain time. It continues at the next start.\n')
  const unwritten = server.unwritten()
  if (unwritten.notifications === 0) return 0
  stderr(`bellhop: ${sentAgain(unwritten)}\n`)
  return UNWRITTEN
}

function sentAgain({ notifications, pushes }: Unwritten): string {
  const what = notifications === 1 ? '1 notification that was sent' : `${notifications} notifications that were sent`
  const pushesText = pushes === 1 ? '1 push' : `${pushes} pushes`
  return `${what} could not be stored, and will be sent again at the next start (${pushesText}).`
}

/** Other commands don't load the server. */
async function startServer(config: Config, overrides: Overrides): Promise<RunningServer> {
  const { createServer } = await import('../../server/server.ts')
  return createServer(config, overrides).catch((error: unknown) => {
    throw startRefusalOf(error, config.data)
  })
}

interface Stop extends Disposable {
  readonly first: Promise<Signal>
  readonly second: Promise<Signal>
  received(): boolean
  onHangUp(run: () => void): void
}

function watch(signals: Signals, attached: boolean): Stop {
  const first = Promise.withResolvers<Signal>()
  const second = Promise.withResolvers<Signal>()
  let received = 0
  let hangUp = () => {}
  const listening = onSignals(signals, ALL_SIGNALS, (signal) => {
    if (signal === 'SIGHUP' && !attached) return hangUp()
    received += 1
    ;(received === 1 ? first : second).resolve(signal)
  })
  return {
    first: first.promise,
    second: second.promise,
    received: () => received > 0,
    onHangUp: (run) => void (hangUp = run),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
