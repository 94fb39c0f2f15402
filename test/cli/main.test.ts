import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { PROGRAM } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { printed, refused } from './command-line.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** An installed Bellhop's unit directory would be used. */
const inNoUnitDirectory = test.skipIf(existsSync('/var/lib/bellhop'))

interface Program extends AsyncDisposable {
  readonly directory: string
  start(argv: readonly string[], options?: Options): Running
  run(argv: readonly string[], options?: Options): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** For Bun itself. */
  readonly bun?: readonly string[]
  /** Standard input. Default nothing. */
  readonly stdin?: Blob
}

type Running = Bun.Subprocess<Blob | null, 'pipe', 'pipe'>

/** In a process and directory of its own. */
function program(): Program {
  const own = temporaryDirectory('bellhop-main')
  const directory = own.path
  const started: Running[] = []

  function start(argv: readonly string[], { env = {}, bun = [], stdin }: Options = {}): Running {
    const words = bun.length === 0 ? PROGRAM : [process.execPath, ...bun, MAIN]
    const child = Bun.spawn([...words, ...argv], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdin: stdin ?? null,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    started.push(child)
    return child
  }

  return {
    directory,
    start,
    async run(argv, options) {
      const child = start(argv, options)
      const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { exitCode, stdout, stderr }
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) child.kill('SIGKILL')
      await Promise.all(started.map((child) => child.exited))
      own[Symbol.dispose]()
    },
  }
}

function lines(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  return async () => {
    for (;;) {
      const end = rest.indexOf('\n')
      if (end !== -1) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 1)
        return line
      }
      const { done, value } = await reader.read()
      if (done) throw new Error(`The stream ended after ${JSON.stringify(rest)}.`)
      rest += decoder.decode(value, { stream: true })
    }
  }
}

describe('the program', () => {
  inNoUnitDirectory('creates an application in ./bellhop-data, and finds it again', async () => {
    await using bellhop = program()
    const created = await bellhop.run(['app', 'create', 'Corner Shop', '--json'])
    expect({ ...created, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(created.stdout).toMatch(/^\{"id":"app_\w+","secret":"bhs_[\w-]+","name":"Corner Shop"\}\n$/)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const shown = await bellhop.run(['app', 'show', id, '--data', join(bellhop.directory, 'bellhop-data')])
    expect({ ...shown, stdout: shown.stdout.slice(0, 12) }).toEqual(printed('Corner Shop'))
  })

  inNoUnitDirectory('exits with 2 for what it does not understand, 1 for what it cannot do, 0 else', async () => {
    await using bellhop = program()
    expect(await bellhop.run(['app', 'creat', 'Shop'])).toEqual(
      refused(2, '"app creat" is not a command. Did you mean app create?'),
    )
    expect(await bellhop.run(['app', 'list'])).toEqual({
      exitCode: 1,
      stdout: '',
      // Other servers on this machine are named.
      stderr: expect.stringMatching(
        /^bellhop: There is no Bellhop database in \.\/bellhop-data: bellhop app create NAME creates one, --data selects another\..*\n$/,
      ),
    })
    expect(await bellhop.run(['--version'])).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('takes a key on its standard input, as a container is handed one', async () => {
    await using bellhop = program()
    await bellhop.run(['app', 'create', 'Shop'])
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const stdin = new Blob([privateKey.export({ type: 'pkcs8', format: 'pem' })])
    const flags = ['--key-id', 'ABC123DEFG', '--team-id', 'DEF123GHIJ', '--topic', 'com.example.shop']
    expect(await bellhop.run(['app', 'apns', 'Shop', '--key', '-', ...flags], { stdin })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"Shop" has an APNs credential: key ABC123DEFG of team DEF123GHIJ'),
    })
  })

  test('writes all of an answer that is longer than a pipe holds', async () => {
    await using bellhop = program()
    const data = join(bellhop.directory, 'data')
    {
      using database = openDatabase(data)
      const applications = createApplicationStore({ database, clock: createFakeClock() })
      database.transact(() => Array.from({ length: 2000 }, (_, at) => applications.create(`Shop ${at}`)).length)
    }
    const list = [...PROGRAM, 'app', 'list', '--json', '--data', data]
    const child = Bun.spawn(['sh', '-c', '"$@" | cat', 'sh', ...list], { stdin: 'ignore', stdout: 'pipe' })
    expect((JSON.parse(await child.stdout.text()) as unknown[]).length).toBe(2000)
  })

  test('an answer that cannot be written is a failure', async () => {
    const child = Bun.spawn([...PROGRAM, 'help'], {
      env: {},
      stdin: 'ignore',
      stdout: openSync('/dev/full', 'w'),
      stderr: 'pipe',
    })
    expect(await child.stderr.text()).toBe('bellhop: ENOSPC: no space left on device, write.\n')
    expect(await child.exited).toBe(1)
  })
})

describe('bellhop serve', () => {
  const FREE = ['serve', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0']

  test('prints where it listens, and where to become an administrator, and ends with 0 after SIGTERM', async () => {
    await using bellhop = program()
    const child = bellhop.start(FREE)
    const next = lines(child.stdout)
    const [, url, adminUrl] = /^ready (http:\S+) admin (http:\S+)$/.exec(await next()) ?? []
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${adminUrl}/healthz`)).status).toBe(200)
    const [, link] = /^dashboard (\S+) \(works once, for 30 minutes\)$/.exec(await next()) ?? []
    expect(link).toMatch(new RegExp(`^${adminUrl}/setup#[\\w-]{43}$`))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await next().catch((error: Error) => error.message)).toBe('The stream ended after "".')
  })

  test('is the process that was started, and loads itself once', async () => {
    await using bellhop = program()
    const preload = join(bellhop.directory, 'preload.ts')
    writeFileSync(preload, 'process.stdout.write(`loads as ${process.pid}\\n`)')
    const child = bellhop.start(FREE, { bun: ['--preload', preload] })
    const next = lines(child.stdout)
    expect(await next()).toBe(`loads as ${child.pid}`)
    expect(await next()).toStartWith('ready ')
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
  })

  test('a data directory that another one serves is refused in a sentence; commands still work on it', async () => {
    await using bellhop = program()
    const child = bellhop.start(FREE)
    expect(await lines(child.stdout)()).toStartWith('ready ')
    expect(await bellhop.run(FREE)).toEqual(refused(1, 'Another Bellhop serves the data directory ./bellhop-data.'))
    expect((await bellhop.run(['app', 'create', 'Shop'])).exitCode).toBe(0)
  })
})
