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
  /** Sends the signal; resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Starts a server with its output in the file `log`; resolves when it accepts connections on `port`. */
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

/** What our own small servers print at the end of their standard input. */
interface Told {
  readonly connections: number
  /** Processed requests by path. */
  readonly paths: Readonly<Record<string, number>>
}

/**
 * Starts our server on another runtime: it prints `ready`, and `Told` at the end of its standard input. Its standard
 * error goes to `error.log`.
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

/** Bundles the TypeScript file `entry` for Node into `folder`; resolves with the command that runs it. */
export async function bundledForNode(entry: string, folder: string): Promise<readonly string[]> {
  const naming = 'server.mjs'
  const built = await Bun.build({ entrypoints: [entry], target: 'node', outdir: folder, naming })
  if (!built.success) throw new Error(built.logs.map(({ message }) => message).join('\n'))
  return ['node', join(folder, naming)]
}

/** Refused requests do not count. */
export function notePath(book: GatewayBook, path: string): void {
  if (path.startsWith('/refuse/')) return
  const numbers = numbersIn(path)
  if (numbers === null) book.strangers++
  else book.note(numbers.n, numbers.attempt)
}

/** Free until just now. */
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
