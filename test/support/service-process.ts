import { join } from 'node:path'

/** How the service is run: the words before a command. */
export interface Program {
  readonly command: readonly string[]
  /** Whether it is the compiled binary. */
  readonly compiled: boolean
}

/** `binary`: path of the compiled one; `null`: the sources, run by this Bun. */
export function programOf(binary: string | null): Program {
  if (binary !== null) return { command: [binary], compiled: true }
  return { command: [process.execPath, join(import.meta.dir, '../../src/main.ts')], compiled: false }
}

/** The binary that scripts/test.ts has compiled; without that script, the sources. */
export const TESTED = programOf(process.env['TEST_BINARY'] ?? null)
export const IS_EXECUTABLE = TESTED.compiled
export const PROGRAM = TESTED.command

type Env = Readonly<Record<string, string>>

export interface CommandEnd {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Runs any program to its end. `input`: its standard input. Throws if there is no such program. */
export async function endOf(
  words: readonly string[],
  { env = {}, input = '' }: { readonly env?: Env; readonly input?: string } = {},
): Promise<CommandEnd> {
  const child = Bun.spawn([...words], {
    env: environment(env),
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, exitCode }
}

/** Runs a command of the tested program to its end. */
export function command(args: readonly string[], env: Env = {}): Promise<CommandEnd> {
  return endOf([...PROGRAM, ...args], { env })
}

/** Runs a command and returns its standard output. Throws with its standard error if it fails. */
export async function runCommand(program: Program, args: readonly string[], input = ''): Promise<string> {
  const { stdout, stderr, exitCode } = await endOf([...program.command, ...args], { input })
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`)
  return stdout
}

/** Headers of a backend's calls. */
export function backendHeaders({ id, secret }: { readonly id: string; readonly secret: string }) {
  return {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  } as const
}

/** Creates the application `shop`; the headers of its backend's calls. */
export async function shopHeaders(data: string): Promise<Readonly<Record<string, string>>> {
  return backendHeaders(JSON.parse(await runCommand(TESTED, ['app', 'create', 'shop', '--json', '--data', data])))
}

/** Words before a command that lower a limit of its process: `-n`, of open files. */
export function limited(flag: '-n' | '-f', to: number): readonly string[] {
  return ['sh', '-c', `ulimit ${flag} ${to}; exec "$@"`, 'sh']
}

/** Exit codes of a process that SIGKILL or SIGTERM has ended, as shells give them. */
export const KILLED = 137
export const TERMINATED = 143

/** `UNWRITTEN` of src/cli/service/server-process.ts. */
export const UNWRITTEN_CODE = 3

interface Addresses {
  readonly url: string
  readonly adminUrl: string
}

/** A process of the service. */
export interface StartedProcess extends AsyncDisposable {
  readonly pid: number
  /** Resolves when it can be called; with `null` if it ends before. */
  readonly ready: Promise<Addresses | null>
  /** Resolves with the exit code, when all that it wrote has been read. */
  readonly exited: Promise<number>
  /** Resolves as `exited` does. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** What it wrote to standard error so far. */
  log(): string
}

export interface ServiceProcess extends Omit<StartedProcess, 'ready' | 'signal'>, Addresses {}

interface ProcessOptions {
  readonly program: Program
  /** The data directory. */
  readonly data: string
  readonly env?: Env
  /** Further flags. It listens on a free port unless they have `--listen`. */
  readonly args?: readonly string[]
  /** Words before the program. */
  readonly under?: readonly string[]
  /** Flags of Bun itself; only with the sources. */
  readonly bunFlags?: readonly string[]
}

/** Starts `bellhop serve` as a process. */
export function startProcess({
  program: { command },
  data,
  env = {},
  args = [],
  under = [],
  bunFlags = [],
}: ProcessOptions): StartedProcess {
  const [first = '', ...rest] = command
  const listen = args.some((arg) => arg.startsWith('--listen=')) ? [] : ['--listen=127.0.0.1:0']
  const serve = ['serve', `--data=${data}`, ...listen, '--admin-listen=127.0.0.1:0', ...args]
  const child = Bun.spawn([...under, first, ...bunFlags, ...rest, ...serve], {
    env: environment(env),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let log = ''
  const logged = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  const exited = logged.then(() => child.exited)
  const ready = (async () => {
    let text = ''
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      const [, url, adminUrl] = /^ready (http:\S+) admin (http:\S+)\n/.exec(text) ?? []
      if (url !== undefined && adminUrl !== undefined) return { url, adminUrl }
    }
    return null
  })()
  return {
    pid: child.pid,
    ready,
    exited,
    log: () => log,
    signal: (name) => child.kill(name),
    async kill(signal) {
      child.kill(signal)
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** `bellhop serve` of the tested program, ready to be called. Throws with its output if it does not get ready. */
export async function serve(
  data: string,
  env: Env = {},
  args: readonly string[] = [],
  under: readonly string[] = [],
): Promise<ServiceProcess> {
  const { ready, ...started } = startProcess({ program: TESTED, data, env, args, under })
  const addresses = await ready
  if (addresses !== null) return { ...started, ...addresses }
  await started.exited
  throw new Error(`not ready: ${started.log()}`)
}

/** Without the caller's own settings. */
function environment(env: Env): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BELLHOP_'))
  return { ...Object.fromEntries(inherited), ...env }
}
