import { openSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { lineReader } from '../../../scripts/benchmark/measure/line-reader.ts'
import { endsWithUs } from '../../../scripts/benchmark/setup/ends-with-us.ts'
import { numbersIn } from '../notes.ts'
import type { GatewayBook } from '../books.ts'
import type { RunningPeer } from './peer.ts'

export interface ServerChild {
  /** Sends the signal, and resolves when the process is over. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Starts a server whose output goes to the file `log`; resolves when it takes connections on `port`. */
export async function startServer(
  command: readonly string[],
  { port, log, cwd }: { readonly port: number; readonly log: string; readonly cwd: string },
): Promise<ServerChild> {
  const output = openSync(log, 'w')
  const child = endsWithUs(Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: output, stderr: output }))
  await listening(port, child, log)
  return {
    async end(signal) {
      child.kill(signal)
      await child.exited
    },
  }
}

/** What our own small servers print when their standard input ends. */
interface Told {
  readonly connections: number
  /** How often each path was processed. */
  readonly paths: Readonly<Record<string, number>>
}

/**
 * Starts a server of ours on another runtime: it prints `ready`, and what it has seen when its standard input ends. What
 * it complains of goes to the file `error.log`.
 */
export async function startTelling(command: readonly string[], cwd: string): Promise<RunningPeer> {
  const stderr = openSync(join(cwd, 'error.log'), 'w')
  const child = endsWithUs(Bun.spawn([...command], { cwd, stdin: 'pipe', stdout: 'pipe', stderr }))
  const nextLine = lineReader(child.stdout)
  await nextLine()
  return {
    async stop(book) {
      await child.stdin.end()
      const { connections, paths }: Told = JSON.parse(await nextLine())
      await child.exited
      for (const [path, times] of Object.entries(paths)) for (let n = 0; n < times; n++) notePath(book, path)
      return { connections }
    },
  }
}

/** Bundles the TypeScript file `entry` into `folder` for Node; resolves with the words that run it. */
export async function bundledForNode(entry: string, folder: string): Promise<readonly string[]> {
  const naming = 'server.mjs'
  const built = await Bun.build({ entrypoints: [entry], target: 'node', outdir: folder, naming })
  if (!built.success) throw new Error(built.logs.map(({ message }) => message).join('\n'))
  return ['node', join(folder, naming)]
}

/** Writes down a request that was processed, unless it was one that is refused. */
export function notePath(book: GatewayBook, path: string): void {
  if (path.startsWith('/refuse/')) return
  const numbers = numbersIn(path)
  if (numbers === null) book.strangers++
  else book.note(numbers.n, numbers.attempt)
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

async function listening(port: number, child: Subprocess, log: string): Promise<void> {
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${await Bun.file(log).text()}`)
    await Bun.sleep(20)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
