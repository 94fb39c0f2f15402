import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Clock } from '../../../src/clock.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { commandLine } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const APP = '4f1a0e2c-6d2b-4d8e-9a41-1f6f5f0c9b7e'
const KEY = 'os_v2_app_j4na4ldnfngy5guqjigdrr2lf5qx'
const TOKENS = Array.from({ length: 3000 }, (_, n) => n.toString(16).padStart(64, '0'))
const EXPORT = gzipSync(
  [
    'id,identifier,device_type,tags,last_active,created_at,invalid_identifier,external_user_id,timezone_id',
    ...TOKENS.map((token, n) => `${n},${token},0,"{""plan"":""pro""}",1756700000,1700000000,f,user_${n},Europe/Berlin`),
  ].join('\n'),
)

let line: CommandLine
let file: string
beforeEach(async () => {
  line = commandLine()
  file = join(line.data, 'export.csv.gz')
  await line.run(['app', 'create', 'Shop'])
})
afterEach(() => line[Symbol.dispose]())

type Reply = (request: IncomingMessage, response: ServerResponse) => void

/** OneSignal's export. The file is missing until `file` answers. */
async function startOnesignal() {
  const calls: { readonly what: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  const service = {
    url: '',
    calls,
    ask: ((_, response) => {
      response.end(JSON.stringify({ csv_file_url: `${service.url}/csv_exports/users.csv.gz` }))
    }) as Reply,
    file: ((_, response) => response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')) as Reply,
    /** Waits of up to half a minute are over at once; deadlines are longer. */
    imported(over: Parameters<CommandLine['run']>[2] = {}, ...flags: string[]) {
      const keyFile = line.file('onesignal.key', `${KEY}\n`)
      const given = ['--from-onesignal', APP, '--key-file', keyFile, '--onesignal-url', service.url, ...flags]
      const clock: Clock = {
        ...line.clock,
        after(delayMs, callback) {
          if (delayMs > 30_000) return line.clock.after(delayMs, callback)
          const immediate = setImmediate(() => {
            line.clock.advance(delayMs)
            callback()
          })
          return () => clearImmediate(immediate)
        },
      }
      return line.run(['import', 'Shop', file, ...given], {}, { clock, ...over })
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request
    calls.push({ what: `${method} ${url}`, headers, body: await text(request) })
    service[url?.startsWith('/players/') === true ? 'ask' : 'file'](request, response)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return service
}

function count(): number {
  using database = line.database()
  return createDeviceStore({ database, clock: line.clock }).list(1, { limit: 5000 }).length
}

describe('bellhop import --from-onesignal', () => {
  test('asks for the export, waits until it is there, fetches it and brings its devices in', async () => {
    await using onesignal = await startOnesignal()
    onesignal.file = (_, response) => {
      if (onesignal.calls.length < 5) response.writeHead(onesignal.calls.length < 4 ? 404 : 403)
      response.end(onesignal.calls.length < 5 ? '' : EXPORT)
    }
    const { exitCode, stdout, stderr } = await onesignal.imported()
    expect(stderr).toContain('OneSignal is exporting, at about 2,000 devices a second.\n')
    expect(stdout.replace(/app_\w+/, 'APP')).toBe(
      `3,000 rows read: 3,000 imported, 0 updated, 0 unchanged, 0 rejected.\n3,000 of the imported have a user: the user's next new token replaces each of them, unless it registers first. bellhop app limits APP --no-adopt-imported turns that off.\nThe OneSignal export is in ${file}: delete it when you no longer need it.\n`,
    )
    expect(exitCode).toBe(0)
    expect(count()).toBe(3000)

    const [asked, ...fetched] = onesignal.calls
    expect(asked?.what).toBe(`POST /players/csv_export?app_id=${APP}`)
    expect(asked?.headers.authorization).toBe(`Key ${KEY}`)
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      extra_fields: ['external_user_id', 'timezone_id', 'notification_types'],
    })
    expect(fetched.map(({ what }) => what)).toEqual(Array.from({ length: 4 }, () => 'GET /csv_exports/users.csv.gz'))
    expect(fetched.map(({ headers }) => headers.authorization)).toEqual(Array.from({ length: 4 }))
    expect(readFileSync(file)).toEqual(EXPORT)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect([existsSync(`${file}.part`), existsSync(`${file}.asked`)]).toEqual([false, false])
  })

  test('shows a key of the older kind as those were', async () => {
    await using onesignal = await startOnesignal()
    onesignal.file = (_, response) => response.end(EXPORT)
    const key = 'ZGVmYXVsdC1hcGkta2V5LTEyMzQ1Njc4OTA'
    const keyFile = line.file('old.key', key)
    const flags = ['--from-onesignal', APP, '--key-file', keyFile, '--onesignal-url', onesignal.url]
    expect((await line.run(['import', 'Shop', file, ...flags])).exitCode).toBe(0)
    expect(onesignal.calls[0]?.headers.authorization).toBe(`Basic ${key}`)
  })

  test('stopped while it waits, goes on with the export that was asked for', async () => {
    await using onesignal = await startOnesignal()
    const signals = new EventEmitter()
    onesignal.file = (_, response) => {
      signals.emit('SIGINT')
      response.writeHead(404).end()
    }
    const stopped = await onesignal.imported({ signals })
    expect([stopped.exitCode, stopped.stderr]).toEqual([
      1,
      expect.stringContaining('bellhop: Stopped: run the command again to continue.\n'),
    ])
    expect(statSync(`${file}.asked`).mode & 0o777).toBe(0o600)
    onesignal.file = (_, response) => response.end(EXPORT)
    const { exitCode, stderr } = await onesignal.imported()
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('Continuing with the export already requested from OneSignal.\n'),
    ])
    expect(onesignal.calls.filter(({ what }) => what.startsWith('POST'))).toHaveLength(1)
    expect(count()).toBe(3000)
  })

  test('goes on where a download broke off, in this run and in the next', async () => {
    await using onesignal = await startOnesignal()
    const signals = new EventEmitter()
    const ranges: (string | undefined)[] = []
    onesignal.file = (request, response) => {
      const { range } = request.headers
      ranges.push(range)
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
      response.writeHead(from === 0 ? 200 : 206, { 'content-length': EXPORT.length - from })
      if (ranges.length === 3) {
        response.end(EXPORT.subarray(from))
        return
      }
      response.write(EXPORT.subarray(from, from + 5000))
      // A reset connection drops buffered bytes.
      const breakOff = (): void => {
        if (statSync(`${file}.part`).size === from) return void setImmediate(breakOff)
        response.destroy()
        if (ranges.length === 2) signals.emit('SIGTERM')
      }
      breakOff()
    }
    expect((await onesignal.imported({ signals })).exitCode).toBe(1)
    expect((await onesignal.imported()).exitCode).toBe(0)
    expect(ranges[0]).toBeUndefined()
    expect(ranges.slice(1)).toEqual([expect.stringMatching(/^bytes=\d+-$/), expect.stringMatching(/^bytes=\d+-$/)])
    expect(readFileSync(file)).toEqual(EXPORT)
    expect(count()).toBe(3000)
  })

  test('gives up a connection on which nothing comes for a minute, and goes on by another', async () => {
    await using onesignal = await startOnesignal()
    onesignal.file = (_, response) => {
      if (onesignal.calls.length > 2) response.end(EXPORT)
      else response.write(EXPORT.subarray(0, 1000), () => line.clock.advance(60_000))
    }
    expect((await onesignal.imported()).exitCode).toBe(0)
    expect(onesignal.calls).toHaveLength(3)
    expect(count()).toBe(3000)
  })

  test('gives up after eight tries without a byte, and four hours without a file', async () => {
    await using onesignal = await startOnesignal()
    onesignal.file = (_, response) => response.writeHead(503).end()
    const broken = await onesignal.imported()
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      expect.stringContaining(
        'The export cannot be fetched from OneSignal (HTTP 503): run the command again to continue.\n',
      ),
    ])
    expect(onesignal.calls).toHaveLength(10)
    onesignal.file = (_, response) => response.writeHead(404).end()
    const missing = await onesignal.imported()
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringContaining('OneSignal did not finish its export within 4 hours'),
    ])
    // Requested again.
    onesignal.file = (_, response) => response.end(EXPORT)
    expect((await onesignal.imported()).exitCode).toBe(0)
    expect(onesignal.calls.filter(({ what }) => what.startsWith('POST'))).toHaveLength(2)
  })

  test('does not go on with what is left of an export that is kept no more', async () => {
    await using onesignal = await startOnesignal()
    const signals = new EventEmitter()
    const ranges: (string | undefined)[] = []
    onesignal.file = (request, response) => {
      ranges.push(request.headers.range)
      if (ranges.length === 2) return void response.end(EXPORT)
      response.writeHead(200, { 'content-length': 9000 })
      response.write(Buffer.alloc(5000, 'of another export'))
      const stop = (): void => {
        if (statSync(`${file}.part`).size === 0) return void setImmediate(stop)
        signals.emit('SIGINT')
      }
      stop()
    }
    expect((await onesignal.imported({ signals })).exitCode).toBe(1)
    line.clock.advance(3 * 86_400_000 + 1)
    expect((await onesignal.imported()).exitCode).toBe(0)
    expect(ranges).toEqual([undefined, undefined])
    expect(readFileSync(file)).toEqual(EXPORT)
    expect(count()).toBe(3000)
  })

  test('takes the file that is there, and asks nobody', async () => {
    await using onesignal = await startOnesignal()
    line.file('export.csv.gz', EXPORT)
    const { exitCode, stderr } = await onesignal.imported()
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`${file} exists: continuing with it. Delete it to export again.\n`),
    ])
    expect(onesignal.calls).toEqual([])
  })

  test.each([
    [401, { errors: ['Invalid app_id or API key.'] }, 'HTTP 401: Invalid app_id or API key.'],
    [400, { errors: { base: ['An export is being written.'] } }, 'HTTP 400.'],
    [500, 'no JSON', 'HTTP 500.'],
    [200, { csv_file_url: 5 }, 'HTTP 200.'],
  ])('says why it is refused (%d %p)', async (status, body, said) => {
    await using onesignal = await startOnesignal()
    onesignal.ask = (_, response) => response.writeHead(status).end(JSON.stringify(body))
    const { exitCode, stderr } = await onesignal.imported()
    expect([exitCode, stderr]).toEqual([1, `bellhop: OneSignal refused the export: ${said}\n`])
    expect([existsSync(file), existsSync(`${file}.asked`), existsSync(`${file}.part`)]).toEqual([false, false, false])
  })

  test('fetches nothing from an address that is not https', async () => {
    await using onesignal = await startOnesignal()
    onesignal.ask = (_, response) => {
      response.end(JSON.stringify({ csv_file_url: 'http://onesignal.example/users.csv.gz' }))
    }
    const { exitCode, stderr } = await onesignal.imported()
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('returned no https address for its export')])
  })

  test.each([
    [['--from-onesignal', APP], "--from-onesignal needs --key-file: a file with the app's API key."],
    [['--from-onesignal', 'shop', '--key-file', 'k'], '--from-onesignal'],
    [['--key-file', 'k'], '--key-file needs --from-onesignal.'],
    [['--onesignal-url', 'https://api.onesignal.com'], '--onesignal-url needs --from-onesignal.'],
    [['--from-onesignal', APP, '--key-file', 'k', '--format', 'parse'], '--from-onesignal brings no parse.'],
    [['--from-onesignal', APP, '--key-file', 'k', '--onesignal-url', 'http://onesignal.example'], '--onesignal-url'],
  ])('is asked for rightly: %p', async (flags, said) => {
    const { exitCode, stderr } = await line.run(['import', 'Shop', file, ...flags])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  test('looks for the application and the key before anybody is asked', async () => {
    await using onesignal = await startOnesignal()
    const flags = ['--from-onesignal', APP, '--key-file', join(line.data, 'none'), '--onesignal-url', onesignal.url]
    const without = await line.run(['import', 'Nobody', file, ...flags])
    expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('Nobody')])
    const { exitCode, stderr } = await line.run(['import', 'Shop', file, ...flags])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('cannot be read: there is no such file')])
    flags[3] = line.file('empty.key', 'two\nlines')
    const noKey = await line.run(['import', 'Shop', file, ...flags])
    expect([noKey.exitCode, noKey.stderr]).toEqual([1, expect.stringContaining('does not contain a OneSignal API key')])
    expect(onesignal.calls).toEqual([])
  })
})
