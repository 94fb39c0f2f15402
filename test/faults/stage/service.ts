import { join } from 'node:path'

/** How the service is run: the words before `serve`, and what must be in its environment. */
export interface Program {
  readonly command: readonly string[]
  /** Whether it is the compiled binary. */
  readonly compiled: boolean
}

/** `binary`: path of the compiled one; `null`: the sources, with this Bun. */
export function programOf(binary: string | null): Program {
  if (binary !== null) return { command: [binary], compiled: true }
  return { command: [process.execPath, join(import.meta.dir, '../../../src/main.ts')], compiled: false }
}

type Env = Readonly<Record<string, string>>

/** Runs a command to its end. Throws with its output if it fails. `input`: what its standard input has. */
export async function runCommand(program: Program, args: readonly string[], input = ''): Promise<string> {
  const { stdout, stderr, exitCode } = await endOfCommand(program, args, input)
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`)
  return stdout
}

export interface CommandEnd {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Runs a command to its end, whichever that is. */
export async function endOfCommand({ command }: Program, args: readonly string[], input = ''): Promise<CommandEnd> {
  const stdin = Buffer.from(input)
  const child = Bun.spawn([...command, ...args], { env: environment({}), stdin, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, exitCode }
}

export interface Addresses {
  readonly api: string
  readonly admin: string
}

/** One process of the service. */
export interface Service extends AsyncDisposable {
  readonly pid: number
  /** Once it is ready; `null` if it ends before. */
  readonly ready: Promise<Addresses | null>
  readonly exited: Promise<number>
  /** Resolves with the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** What it wrote to standard error. */
  log(): string
}

export interface ServiceOptions {
  readonly program: Program
  readonly data: string
  readonly env: Env
  /** Flags for Bun itself; only with the sources. */
  readonly bunFlags?: readonly string[]
}

export function startService({ program: { command }, data, env, bunFlags = [] }: ServiceOptions): Service {
  const [first = '', ...rest] = command
  const serve = ['serve', `--data=${data}`, '--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
  const child = Bun.spawn([first, ...bunFlags, ...rest, ...serve], {
    env: environment(env),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let log = ''
  const logged = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  // When all that it wrote has been read.
  const exited = logged.then(() => child.exited)
  const ready = (async () => {
    let text = ''
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      const [, api, admin] = /^ready (http:\S+) admin (http:\S+)\n/.exec(text) ?? []
      if (api !== undefined && admin !== undefined) return { api, admin }
    }
    return null
  })()
  return {
    pid: child.pid,
    ready,
    exited,
    log: () => log,
    signal: (name) => child.kill(name),
    async end(signal) {
      child.kill(signal)
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Nothing of the caller's own settings. */
function environment(env: Env): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BELLHOP_'))
  return { ...Object.fromEntries(inherited), ...env }
}
