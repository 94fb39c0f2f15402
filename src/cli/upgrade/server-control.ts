import { closeSync, constants, openSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS, sleep } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { isServed } from '../../database/directory-lock.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { ServerState } from '../../server/command/command-socket.ts'
import { openFiles } from '../../system/open-files.ts'
import { codeOf } from '../../text/error-code.ts'
import { serverState } from '../remote/command-socket.ts'

/** How to stop and start a server: by systemd, by the operator's command, or as it was started before. */
export interface ServerControl {
  readonly kind: 'control'
  /** `bellhop.service`, `sv restart bellhop`, `process 812` */
  readonly shown: string
  readonly log: string
  /** `start` also stops it. */
  readonly restarts: boolean
  /** Resolves when no server has the data directory. */
  stop(patienceMs: number): Promise<void>
  start(): Promise<Problem | null>
  /** `null`: what was started runs, or unknown. */
  ended(): string | null
}

interface Served {
  readonly data: string
  readonly clock: Clock
}

const POLL_MS = 50

/** `command`: of --restart; `null`: find out. */
export function controlOf(
  { pid }: ServerState,
  program: string,
  command: string | null,
  served: Served,
): ServerControl | Problem {
  const runs = linkAt(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '') ?? program
  if (runs !== program) {
    return problem(`The server runs ${runs}, and this is ${program}: use that one to upgrade it.`)
  }
  const stop = stopper(served)
  const ended = () => null
  if (command !== null) {
    const start = async () => problemOf(['sh', '-c', command])
    return { kind: 'control', shown: command, log: 'where it always is', restarts: true, stop, start, ended }
  }
  const unit = unitOf(pid)
  if (unit === null) return processControl(pid, program, stop, served)
  return {
    kind: 'control',
    shown: unit,
    log: `journalctl -u ${unit}`,
    // In one job: a kill of this process leaves no service stopped.
    restarts: true,
    stop: async () => void problemOf(['systemctl', 'stop', unit]),
    // Without --no-block, systemctl may wait forever.
    start: async () => problemOf(['systemctl', 'restart', '--no-block', unit]),
    ended,
  }
}

export interface Wanted {
  /** The old process. */
  readonly not: number
  readonly waitMs: number
  /** As the server before was. */
  readonly only: 'ready' | 'answering'
}

/** Returns why the new server is not ready, to follow "it is"; `null`: it is. */
export async function untilReady(
  { data, clock }: Served,
  control: ServerControl,
  { not, waitMs, only }: Wanted,
): Promise<string | null> {
  const limit = clock.monotonic() + waitMs
  for (let why = 'it does not answer.'; ; await sleep(clock, POLL_MS)) {
    const state = await serverState(data, clock)
    if (state !== null && state.pid !== not) {
      if (state.ready || only === 'answering') return null
      why = state.reasons.join(' ')
    }
    const end = control.ended()
    // A service manager may have started another.
    if (end !== null && !isServed(data)) return `not ready: it ended with ${end}.`
    if (clock.monotonic() >= limit) return `not ready within ${waitMs / 1000} seconds: ${why}`
  }
}

export function runsFile(pid: number, program: string): boolean {
  const [running, there] = [`/proc/${pid}/exe`, program].map((path) => statSync(path, { throwIfNoEntry: false }))
  return running !== undefined && running.ino === there?.ino && running.dev === there.dev
}

/** `null`: it is not a unit's main process. */
function unitOf(pid: number): string | null {
  const unit = /^[^/]*\/system\.slice\/(?:.*\/)?([^/\n]+\.service)$/m.exec(textOf(`/proc/${pid}/cgroup`))?.[1]
  if (unit === undefined) return null
  try {
    const { stdout } = Bun.spawnSync(['systemctl', 'show', '--property=MainPID', '--value', unit], { stderr: 'ignore' })
    return stdout.toString().trim() === String(pid) ? unit : null
  } catch {
    // No systemctl: others use cgroups too.
    return null
  }
}

/** With the arguments, environment, directory and output that /proc shows. */
function processControl(
  pid: number,
  program: string,
  stop: ServerControl['stop'],
  { data }: Served,
): ServerControl | Problem {
  const from = `/proc/${pid}`
  const cwd = linkAt(`${from}/cwd`)
  if (cwd === null || statSync(from).uid !== process.geteuid?.()) {
    return problem(
      `The server (process ${pid}) is not a service of systemd, nor of this user: say how it is restarted (--restart 'sv restart bellhop'), or run this as its user.`,
    )
  }
  const args = textOf(`${from}/cmdline`).split('\0').slice(1, -1)
  const variables = textOf(`${from}/environ`).split('\0').slice(0, -1)
  const env = Object.fromEntries(variables.map((each) => each.split(/=(.*)/s, 2) as [string, string]))
  const [output, errors] = [outputOf(`${from}/fd/1`, data), outputOf(`${from}/fd/2`, data)]
  let child: Bun.Subprocess | null = null
  return {
    kind: 'control',
    shown: `process ${pid}`,
    log: errors,
    restarts: false,
    async stop(patienceMs) {
      await stop(patienceMs)
      // It may hang before it has the lock.
      child?.kill('SIGKILL')
      await child?.exited
    },
    async start() {
      const [stdout, stderr] = [appendTo(output), appendTo(errors)]
      child = Bun.spawn([program, ...args], { cwd, env, stdin: 'ignore', stdout, stderr, detached: true })
      child.unref()
      closeSync(stdout)
      closeSync(stderr)
      return null
    },
    ended() {
      if (typeof child?.exitCode === 'number') return `exit code ${child.exitCode}`
      const signal = child?.signalCode ?? null
      return signal === null ? null : String(signal)
    },
  }
}

/** Not a pipe: its reader may end. */
function outputOf(link: string, data: string): string {
  const found = statSync(link, { throwIfNoEntry: false })
  const isKept = found?.isFile() === true || found?.isCharacterDevice() === true
  return (isKept ? linkAt(link) : null) ?? join(data, 'bellhop.log')
}

function appendTo(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOCTTY, 0o600)
}

/** SIGTERM, and SIGKILL after the patience, which loses nothing. */
function stopper({ data, clock }: Served): ServerControl['stop'] {
  return async (patienceMs) => {
    for (const [signal, limitMs] of [['SIGTERM', patienceMs] as const, ['SIGKILL', MINUTE_MS] as const]) {
      const answering = await serverState(data, clock)
      for (const pid of new Set([...(answering ? [answering.pid] : []), ...serversOf(data)])) signalTo(pid, signal)
      const limit = clock.monotonic() + limitMs
      while (isServed(data) && clock.monotonic() < limit) await sleep(clock, POLL_MS)
      if (!isServed(data)) return
    }
  }
}

/** Commands open the lock too, for a moment. */
function serversOf(data: string): readonly number[] {
  const lock = join(realpathSync(data), 'serving.lock')
  const pids = new Set([...openFiles()].flatMap(({ pid, target }) => (target === lock ? [Number(pid)] : [])))
  return [...pids].filter((pid) => textOf(`/proc/${pid}/cmdline`).split('\0')[1] === 'serve')
}

function signalTo(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended meanwhile.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

function problemOf(words: readonly string[]): Problem | null {
  const { exitCode, stderr } = Bun.spawnSync([...words], { stdout: 'ignore' })
  if (exitCode === 0) return null
  return problem(`not started (${words.join(' ')}: exit code ${exitCode}, ${stderr.toString().trim()}).`)
}

/** `null`: none, or another user's. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** `''`: none, or another user's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
