import { Database as Sqlite } from 'bun:sqlite'
import { cpSync, linkSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { serverState } from '../../../../src/cli/remote/command-socket.ts'
import { systemClock } from '../../../../src/clock.ts'
import type { ServerState } from '../../../../src/server/command/command-socket.ts'
import { temporaryDirectory } from '../../../support/temporary-directory.ts'
import { until } from '../../../support/until.ts'

type Env = Readonly<Record<string, string>>

/** With three devices. */
export interface Machine extends AsyncDisposable {
  readonly program: string
  readonly bin: string
  readonly data: string
  readonly apiUrl: string
  serve(env?: Env): Promise<ServerState>
  state(): Promise<ServerState | null>
  run(args: readonly string[], env?: Env): Promise<{ exitCode: number | null; stdout: string; stderr: string }>
  start(args: readonly string[], env?: Env): Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  /** `null`: the database cannot be read. */
  devices(): number
}

/** Made by the first machine, copied by the others. */
let filled: ReturnType<typeof temporaryDirectory> | null = null

export function removeFilled(): void {
  filled?.[Symbol.dispose]()
  filled = null
}

export async function machine(installed: string, own = temporaryDirectory('bellhop-machine')): Promise<Machine> {
  const place = own.path
  const [bin, data] = [join(place, 'bin'), join(place, 'data')]
  const program = join(bin, 'bellhop')
  mkdirSync(bin, { recursive: true })
  linkSync(installed, program)
  const [api, admin] = [await freePort(), await freePort()]
  const usual = { PATH: process.env['PATH'] ?? '', HOME: place, BELLHOP_DATA: data }

  function start(args: readonly string[], env: Env = {}) {
    return Bun.spawn([program, ...args], { env: { ...usual, ...env }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  }

  async function run(args: readonly string[], env: Env = {}) {
    const child = start(args, env)
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode: child.exitCode, stdout, stderr }
  }

  const state = () => serverState(data, systemClock)
  if (filled === null) {
    await run(['app', 'create', 'Shop'])
    const list = join(place, 'devices.csv')
    writeFileSync(list, 'token,platform\nandroid:1,android\nandroid:2,android\nandroid:3,android\n')
    await run(['import', 'Shop', list])
    filled = temporaryDirectory('bellhop-filled')
    cpSync(data, filled.path, { recursive: true })
  } else cpSync(filled.path, data, { recursive: true })
  const servers: Bun.Subprocess[] = []
  return {
    program,
    bin,
    data,
    apiUrl: `http://127.0.0.1:${api}`,
    state,
    run,
    start,
    async serve(env = {}) {
      const args = [`--data=${data}`, `--listen=127.0.0.1:${api}`, `--admin-listen=127.0.0.1:${admin}`]
      servers.push(
        Bun.spawn([program, 'serve', ...args], {
          env: { ...usual, ...env },
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: Bun.file(join(place, 'log')),
        }),
      )
      await until(async () => (await state()) !== null)
      const served = await state()
      if (served === null) throw new Error('the server has gone')
      return served
    },
    devices() {
      using database = new Sqlite(join(data, 'bellhop.db'), { readonly: true })
      return Number(database.query('SELECT count(*) FROM device').values()[0]?.[0])
    },
    async [Symbol.asyncDispose]() {
      for (const pid of processesIn(bin)) process.kill(pid, 'SIGKILL')
      await Promise.all(servers.map(({ exited }) => exited))
      own[Symbol.dispose]()
    },
  }
}

/** Processes whose executable is, or was, in this folder. */
export function processesIn(folder: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const target = /^\d+$/.test(name) ? executableOf(name) : ''
    return target.startsWith(`${folder}/`) ? [Number(name)] : []
  })
}

function executableOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    // It has ended.
    return ''
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => void server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
