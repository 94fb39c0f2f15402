import { join } from 'node:path'

/** What scripts/test.ts has compiled; a file that runs without it runs the sources, which is the same program. */
const binary = process.env['TEST_BINARY']
/** Whether the tests run the compiled program, as `./scripts/test` does, and not the sources. */
export const IS_EXECUTABLE = binary !== undefined
export const PROGRAM = binary === undefined ? [process.execPath, join(import.meta.dir, '../../src/main.ts')] : [binary]

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string
  readonly adminUrl: string
  readonly pid: number
  /** Resolves with the exit code, when all that it wrote has been read. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number>
  readonly exited: Promise<number>
  /** What it wrote to standard error so far. */
  log(): string
}

type Env = Readonly<Record<string, string>>

/** Runs a command to its end. */
export async function command(args: readonly string[], env: Env = {}) {
  const child = Bun.spawn([...PROGRAM, ...args], { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, exitCode }
}

/** Creates the application `shop`; the headers of its backend's calls. */
export async function shopHeaders(data: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await command(['app', 'create', 'shop', '--json', '--data', data])
  const { id, secret } = JSON.parse(stdout)
  return {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
}

/** Words before a command that lower a limit of its process: `-n`, of open files. */
export function limited(flag: '-n' | '-f', to: number): readonly string[] {
  return ['sh', '-c', `ulimit ${flag} ${to}; exec "$@"`, 'sh']
}

/**
 * `bellhop serve` as a process of its own, ready to be called. Throws with its output if it does not get ready. It
 * listens at a free port unless `args` say where. `under`: words before it.
 */
export async function serve(
  data: string,
  env: Env = {},
  args: readonly string[] = [],
  under: readonly string[] = [],
): Promise<ServiceProcess> {
  const listen = args.some((arg) => arg.startsWith('--listen=')) ? [] : ['--listen=127.0.0.1:0']
  const child = Bun.spawn(
    [...under, ...PROGRAM, 'serve', `--data=${data}`, ...listen, '--admin-listen=127.0.0.1:0', ...args],
    { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' },
  )
  let log = ''
  const decoder = new TextDecoder()
  const logged = (async () => {
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  let text = ''
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  const [, url, adminUrl] = /^ready (http:\S+) admin (http:\S+)\n/.exec(text) ?? []
  if (url === undefined || adminUrl === undefined) {
    await Promise.all([child.exited, logged])
    throw new Error(`not ready: ${text}${log}`)
  }
  const exited = logged.then(() => child.exited)
  return {
    url,
    adminUrl,
    pid: child.pid,
    exited,
    log: () => log,
    async kill(signal) {
      child.kill(signal)
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
