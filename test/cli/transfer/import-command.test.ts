import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { NO_COUNTS } from '../../../src/cli/transfer/import-report.ts'
import { writeState } from '../../../src/cli/transfer/import-state.ts'
import type { ImportState } from '../../../src/cli/transfer/import-state.ts'
import { startFile } from '../../../src/cli/transfer/unfinished-file.ts'
import type { Clock } from '../../../src/clock.ts'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { commandLine, jsonLines, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const APPLE = 'a1b2c3d4'.repeat(8)
const FCM = `eK3:APA91b${'x-Y_z0'.repeat(22)}`

interface Imported {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly rejects: readonly Record<string, unknown>[]
}

async function importing(
  line: CommandLine,
  name: string,
  content: string | Uint8Array,
  ...flags: string[]
): Promise<Imported> {
  await line.run(['app', 'create', 'Shop'])
  const rejects = join(line.data, 'rejects.jsonl')
  const printed = await line.run(['import', 'Shop', line.file(name, content), '--rejects', rejects, ...flags])
  return { ...printed, rejects: jsonLines(existsSync(rejects) ? readFileSync(rejects, 'utf8') : '') }
}

function devicesOf(line: CommandLine) {
  using database = line.database()
  return createDeviceStore({ database, clock: line.clock }).list(1, { limit: 1000 })
}

function ofServices(): readonly [
  what: string,
  name: string,
  content: string,
  title: string,
  devices: readonly object[],
][] {
  const arn = (service: string) => `arn:aws:sns:eu-west-1:1:endpoint/${service}/Shop/8cc59243`
  return [
    [
      'OneSignal',
      'players.csv',
      [
        'id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,last_active,playtime,amount_spent,created_at,invalid_identifier,badge_count,external_user_id,timezone_id',
        `1,${APPLE},12,en,-25200,3.2.0,17.4,0,"iPhone15,2",,"{""plan"":""pro"",""level"":4}",2025-09-02 08:00:00,0,0,2024-01-01 00:00:00,f,2,user_42,America/Los_Angeles`,
        `2,${FCM},3,de,3600,3.1.9,14,1,Pixel 8,,{},1756700000,0,0,1700000000,f,0,,Europe/Berlin`,
        '3,maya@example.com,0,en,0,,,11,,,"",1756500000,0,0,1700000000,f,0,user_42,',
        `4,${APPLE.replace('a', 'b')},1,en,0,,,0,,,"",1756500000,0,0,1700000000,t,0,,`,
        ',,,,,,,0',
        'too,short',
      ].join('\n'),
      "OneSignal's export",
      [
        {
          token: APPLE,
          alias: 'user_42',
          user: 'user_42',
          tag: ['level:4', 'plan:pro'],
          badge: 2,
          timezone: 'America/Los_Angeles',
          locale: 'en',
        },
        { token: FCM, alias: null, tag: [], timezone: 'Europe/Berlin', locale: 'de', registeredAt: 1_700_000_000_000 },
      ],
    ],
    [
      'Parse',
      '_Installation.json',
      `{ "results": [ { "deviceToken": "${APPLE}", "deviceType": "ios", "channels": ["", "news"], "installationId": "i1" }, { "deviceType": "ios", "installationId": "i3" } ] }`,
      "Parse's installations",
      [{ token: APPLE, tag: ['news'] }],
    ],
    [
      'Parse, by mongoexport',
      'installations.json',
      [
        `{"_id":"a","deviceToken":"${APPLE}","deviceType":"ios","channels":["news"],"location":[13.4,52.5],"_p_user":"_User$u1","_updated_at":{"$date":"2025-01-02T03:04:05Z"}}`,
        '{"_id":"b","deviceToken":"nonsense","deviceType":"ios"}',
        '{"_id":"c","deviceToken":',
        `{"_id":"d","deviceToken":"${FCM}","deviceType":"android"}`,
      ].join('\n'),
      "Parse's installations",
      [
        { token: APPLE, tag: ['news'], alias: 'u1', lat: 52.5 },
        { token: FCM, platform: 1 },
      ],
    ],
    [
      'SNS',
      'endpoints.json',
      JSON.stringify({
        Endpoints: [
          { EndpointArn: arn('APNS_SANDBOX'), Attributes: { Enabled: 'true', Token: APPLE, CustomUserData: 'u1' } },
          { EndpointArn: arn('ADM'), Attributes: { Enabled: 'true', Token: 'x' } },
        ],
      }),
      'the endpoints of Amazon SNS',
      [{ token: APPLE, platform: 0 }],
    ],
    [
      'Pinpoint, of which the parts were put together',
      'endpoints.json',
      `{"ChannelType":"EMAIL","Address":"a@shop.example"}{"ChannelType":"GCM","Address":"${FCM}"}`,
      'the endpoints of Amazon Pinpoint',
      [{ token: FCM, platform: 1 }],
    ],
    [
      'Twilio Notify, page after page',
      'bindings.json',
      [
        `{"meta":{"key":"bindings","page":0},"bindings":[{"sid":"BS1","binding_type":"apn","address":"${APPLE}"}]}`,
        '{"meta":{"key":"bindings","page":1},"bindings":[{"sid":"BS3","binding_type":"sms","address":"+4930123456"}]}',
      ].join('\n'),
      'the bindings of Twilio Notify',
      [{ token: APPLE, platform: 0 }],
    ],
    [
      'Firebase',
      'users.json',
      JSON.stringify({
        users: {
          Zk3dW9xQ2aVb7LmN0pRsTuYhGfE1: { name: 'Ada', fcmTokens: { [FCM]: true, [`${FCM}2`]: true } },
          Zk3dW9xQ2aVb7LmN0pRsTuYhGfE2: { name: 'Bob', fcmTokens: { [`${FCM}3`]: true } },
          Zk3dW9xQ2aVb7LmN0pRsTuYhGfE3: { name: 'Eve' },
          Zk3dW9xQ2aVb7LmN0pRsTuYhGfE4: { fcmTokens: [{ token: 'a token' }] },
        },
      }),
      'FCM tokens from a Firestore or Realtime Database export',
      [
        { token: FCM, platform: 1, alias: null, user: 'Zk3dW9xQ2aVb7LmN0pRsTuYhGfE1' },
        { token: `${FCM}2`, alias: null, user: 'Zk3dW9xQ2aVb7LmN0pRsTuYhGfE1' },
        { token: `${FCM}3`, alias: 'Zk3dW9xQ2aVb7LmN0pRsTuYhGfE2', user: 'Zk3dW9xQ2aVb7LmN0pRsTuYhGfE2' },
      ],
    ],
    [
      'a CSV',
      'devices.csv',
      `\uFEFFDevice Token;OS;Alias;Tags;Lat;Long;Email\r\n${APPLE};iOS;ada;"one|two";52,5;13;a@example.com\r\n${FCM};android;ada;;;;\r\nx y;android;;;;;\r\n`,
      'CSV: token from "Device Token", platform from "OS", alias from "Alias", tag from "Tags", lat from "Lat", lng from "Long"; not "Email"',
      [
        { token: APPLE, alias: 'ada', tag: ['one', 'two'], lat: null },
        { token: FCM, alias: null },
      ],
    ],
  ]
}

describe('an import', () => {
  for (const [what, name, content, title, devices] of ofServices()) {
    test(`of ${what} brings in its devices, and says why not the others`, async () => {
      using line = commandLine()
      const { exitCode, stdout, stderr, rejects } = await importing(line, name, content)
      expect(stderr).toBe(`${join(line.data, name)} reads as ${title}.\n`)
      expect(exitCode).toBe(0)
      expect(devicesOf(line)).toMatchObject(devices)
      expect(stdout).toContain(`${devices.length} imported, 0 updated, 0 unchanged, `)
      const rejected = rejects.filter(({ imported }) => imported === false)
      expect(rejected.length).toBeGreaterThan(0)
      expect(stdout).toContain(` ${rejected.length} rejected.\n`)
      for (const reject of rejects) {
        expect(Object.keys(reject)).toEqual(['line', 'field', 'reason', 'imported', 'row'])
        expect(reject['reason']).toStartWith(String(reject['field']))
        expect(reject['reason']).toEndWith('.')
      }

      const again = await importing(line, name, content)
      expect(again.stdout).toContain(`0 imported, 0 updated, ${devices.length} unchanged, ${rejected.length} rejected.`)
    })
  }

  test('tells of each row by its line, and shows it', async () => {
    using line = commandLine()
    const content = `token,os,lat,lng,note\n${FCM},android,91,8,kept\n,ios,,,\nx,tv,,,"two\nlines"\nx,android,,,,surplus\n"x,y\n`
    const { rejects, stdout } = await importing(line, 'd.csv', content)
    expect(rejects).toEqual([
      {
        line: 2,
        field: 'lat',
        reason: 'lat must be decimal degrees between -90 and 90, not "91".',
        imported: true,
        row: { token: FCM, os: 'android', lat: '91', lng: '8', note: 'kept' },
      },
      { line: 3, field: 'token', reason: 'token is required.', imported: false, row: { os: 'ios' } },
      {
        line: 4,
        field: 'os',
        reason: 'os must be "0" (iOS), "1" (Android) or "2" (Web), not "tv".',
        imported: false,
        row: { token: 'x', os: 'tv', note: 'two\nlines' },
      },
      {
        line: 6,
        field: 'row',
        reason: 'row has 6 cells, but there are 5 columns.',
        imported: false,
        row: 'x,android,,,,surplus',
      },
      {
        line: 7,
        field: 'row',
        reason: 'row opens a quotation mark that is never closed.',
        imported: false,
        row: '"x,y',
      },
    ])
    expect(stdout).toBe(
      [
        '5 rows read: 1 imported, 0 updated, 0 unchanged, 4 rejected.',
        '1 came with data that could not be restored here.',
        `Reasons by row: ${join(line.data, 'rejects.jsonl')}\n`,
      ].join('\n'),
    )
    expect(statSync(join(line.data, 'rejects.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('has no file of rejects when there are none, nor one of before', async () => {
    using line = commandLine()
    await importing(line, 'd.csv', 'token,os\n,android\n')
    expect(existsSync(join(line.data, 'rejects.jsonl'))).toBe(true)
    const { rejects, stdout } = await importing(line, 'd.csv', `token,os\n${FCM},android\n`)
    expect(rejects).toEqual([])
    expect(stdout).toBe('1 row read: 1 imported, 0 updated, 0 unchanged, 0 rejected.\n')
  })

  test('maps columns as it is told to', async () => {
    using line = commandLine()
    const csv = `Key,Plan,City\n${FCM},pro,Bonn\n`
    const flags = ['--map', 'token=Key,tag=Plan', '--map', 'tag=City', '--platform', 'android']
    expect((await importing(line, 'd.csv', csv, ...flags)).exitCode).toBe(0)
    expect(devicesOf(line)).toMatchObject([{ token: FCM, platform: 1, tag: ['Bonn', 'pro'] }])
  })

  test('maps what a service calls otherwise', async () => {
    using line = commandLine()
    const [, name, content] = ofServices().find(([what]) => what === 'SNS') ?? ['', '', '']
    await importing(line, name, content, '--map', 'alias=Attributes.CustomUserData')
    expect(devicesOf(line)).toMatchObject([{ token: APPLE, alias: 'u1' }])
  })

  test('that is only tried changes nothing', async () => {
    using line = commandLine()
    const csv = `token,os\n${FCM},android\n,android\n`
    const { stdout, rejects } = await importing(line, 'd.csv', csv, '--dry-run')
    expect(stdout).toStartWith('Dry run, nothing was changed. 2 rows: 1 imported, 0 updated, 0 unchanged, 1 rejected.')
    expect(rejects).toHaveLength(1)
    expect(devicesOf(line)).toEqual([])
    const { stdout: json } = await importing(line, 'd.csv', csv, '--dry-run', '--json')
    expect(JSON.parse(json)).toMatchObject({ format: 'csv', dry_run: true, read: 2, imported: 1, rejected: 1 })
  })

  test('leaves alone who has registered since, unless it is to replace', async () => {
    using line = await withShop()
    {
      using database = line.database()
      createDeviceStore({ database, clock: line.clock }).register(1, { token: FCM, platform: 1, tag: ['own'] })
    }
    const csv = `token,os,tags,last_seen\n${FCM},android,old,2026-01-01\n`
    const { stdout } = await importing(line, 'd.csv', csv)
    expect(stdout).toContain(
      '0 updated, 1 unchanged, 0 rejected.\n1 of the unchanged have newer data here than in the file.\n',
    )
    expect(devicesOf(line)).toMatchObject([{ tag: ['own'] }])
    await importing(line, 'd.csv', csv, '--on-conflict', 'replace')
    expect(devicesOf(line)).toMatchObject([{ tag: ['old'] }])
  })

  test('reads standard input', async () => {
    using line = await withShop()
    const main = join(import.meta.dir, '../../../src/main.ts')
    const run = (input: string | Uint8Array) =>
      Bun.spawnSync([process.execPath, main, 'import', 'Shop', '-', '--json'], {
        env: { BELLHOP_DATA: line.data },
        cwd: line.data,
        stdin: Buffer.from(input),
      })
    const packed = run(Bun.gzipSync(`token,os\n${FCM},android\n,android\n`))
    expect(packed.stderr.toString()).toStartWith('Standard input reads as CSV: token from "token"')
    expect(JSON.parse(packed.stdout.toString())).toMatchObject({
      imported: 1,
      rejected: 1,
      rejects: 'import.rejects.jsonl',
    })
    expect(existsSync(join(line.data, 'import.rejects.jsonl'))).toBe(true)
  })
})

describe('an import refuses', () => {
  const csv = `token,os\n${FCM},android\n`
  const cases: readonly [
    what: string,
    content: string | Uint8Array,
    flags: readonly string[],
    code: number,
    says: string,
  ][] = [
    ['an empty file', '', [], 1, 'is empty.'],
    ['a spreadsheet', 'PK\u0003\u0004', [], 1, 'is a ZIP archive or an .xlsx: unpack it, or save it as CSV.'],
    ['another format', csv, ['--format', 'parse'], 1, 'is no JSON.'],
    [
      'a CSV without a token',
      'name,os\na,ios\n',
      [],
      2,
      'No column of FILE is a token. The columns are "name", "os". Choose one with --map token=COLUMN.',
    ],
    [
      'a CSV without a platform',
      `token\n${FCM}\n`,
      [],
      2,
      'No column of FILE is a platform: use --platform ios or android for all rows, or --map platform=COLUMN.',
    ],
    [
      'a map that does not fit',
      csv,
      ['--map', 'tokn=token'],
      2,
      '--map: "tokn" is not one of token, platform, alias, user, tag, active, lat, lng, timezone, locale, app_version, client, badge, environment, fcm_platform, registered_at, seen_at, p256dh, auth.',
    ],
    [
      'an unknown format',
      csv,
      ['--format', 'braze'],
      2,
      '--format: "braze" is not one of auto, bellhop, csv, onesignal, parse, firebase, sns',
    ],
    [
      'a platform for who says it',
      '{"token":"x"}',
      ['--platform', 'ios'],
      2,
      '--platform is for a CSV: FILE reads as FCM tokens from a Firestore or Realtime Database export, which says itself what its devices are.',
    ],
    [
      'an export of a newer Bellhop',
      '{"format":"bellhop-export","version":2}\n',
      [],
      1,
      'was created by a newer Bellhop: upgrade this one first.',
    ],
    [
      'an export that lacks its end',
      '{"format":"bellhop-export","version":1,"counts":{"devices":2}}\n',
      [],
      1,
      'is truncated: it should have 2 devices, and has 0.',
    ],
    ['JSON that lacks its end', '[{"token":"x"},{"token":', [], 1, 'is truncated: the value after line 1 has no end.'],
    [
      'a packed file that lacks its end',
      Bun.gzipSync(csv.repeat(2000)).subarray(0, 40),
      [],
      1,
      'is truncated or damaged: it ends too soon.',
    ],
    [
      'a packed file that is none',
      new Uint8Array([0x1f, 0x8b, 1, 2, 3, 4]),
      [],
      1,
      'is truncated or damaged: it is damaged.',
    ],
  ]
  for (const [what, content, flags, code, says] of cases) {
    test(what, async () => {
      using line = commandLine()
      const { exitCode, stdout, stderr } = await importing(line, 'file', content, ...flags)
      expect(stderr.replaceAll(join(line.data, 'file'), 'FILE')).toContain(says)
      expect([exitCode, stdout]).toEqual([code, ''])
      expect(existsSync(join(line.data, 'file.import-state'))).toBe(false)
    })
  }

  test('a file, an application or a word that is not there', async () => {
    using line = commandLine()
    const run = async (...argv: string[]) => {
      const { exitCode, stderr } = await line.run(argv)
      return [exitCode, stderr]
    }
    expect(await run('import')).toEqual([2, 'bellhop: import needs APP. Usage: bellhop import APP [FILE] [FLAGS]\n'])
    expect(await run('import', 'Shop')).toEqual([2, 'bellhop: import needs FILE; - is standard input.\n'])
    await line.run(['app', 'create', 'Shop'])
    const own = line.file('own.csv', csv)
    expect(await run('import', 'Shop', own, '--rejects', own)).toEqual([
      2,
      'bellhop: --rejects must not be the same file as FILE.\n',
    ])
    const nowhere = join(line.data, 'nowhere.csv')
    expect(await run('import', 'Shop', nowhere)).toEqual([
      1,
      `bellhop: ${nowhere} cannot be read: there is no such file.\n`,
    ])
    expect(await run('import', 'Shop', line.data)).toEqual([
      1,
      `bellhop: ${line.data} cannot be read: it is a directory.\n`,
    ])
    expect(await run('import', 'Shp', line.file('d.csv', csv))).toEqual([
      1,
      `bellhop: There is no application "Shp" in ${line.data}: bellhop app list lists them. Did you mean Shop?\n`,
    ])
  })
})

describe('an import beside a server', () => {
  const ROWS = 1000
  const token = (at: number) => `${FCM}${at}`
  const csv = () =>
    `token,os,alias\n${Array.from({ length: ROWS }, (_, at) => `${at % 100 === 50 ? '' : token(at)},android,u${at}`).join('\n')}\n`

  interface Serving extends Disposable {
    readonly line: CommandLine
    readonly path: string
    /** Calls `at` at so many looks at the clock, a millisecond each. */
    run(flags?: readonly string[], looks?: number, at?: (signals: EventEmitter) => void): ReturnType<CommandLine['run']>
  }

  /** The lock of a server makes transactions small. */
  async function serving(): Promise<Serving> {
    const line = commandLine()
    await line.run(['app', 'create', 'Shop'])
    const lock = lockDirectory(line.data)
    const path = line.file('d.csv', csv())
    return {
      line,
      path,
      run(flags = [], looks = -1, at = () => {}) {
        const signals = new EventEmitter()
        let looked = 0
        const clock: Clock = {
          now() {
            looked++
            if (looked === looks) at(signals)
            return line.clock.now() + looked
          },
          monotonic: () => line.clock.monotonic(),
          after(_, callback) {
            queueMicrotask(callback)
            return () => {}
          },
        }
        const argv = ['import', 'Shop', path, '--rejects', join(line.data, 'rejects.jsonl'), ...flags]
        return line.run(argv, {}, { signals, clock, terminal: flags.includes('--json') ? { columns: 80 } : null })
      },
      [Symbol.dispose]() {
        lock?.[Symbol.dispose]()
        line[Symbol.dispose]()
      },
    }
  }

  const stop = (signals: EventEmitter) => void signals.emit('SIGINT')

  test('that is stopped goes on where it was, and tells of every row once', async () => {
    using server = await serving()
    const { line } = server
    const state = join(line.data, 'd.csv.import-state')
    const rejects = join(line.data, 'rejects.jsonl')
    const first = await server.run([], 400, stop)
    expect(first.stderr).toMatch(/bellhop: Stopped after [3-8]\d\d rows: run the command again to continue\.\n$/)
    expect(first.exitCode).toBe(1)
    expect(statSync(state).mode & 0o777).toBe(0o600)
    // A kill leaves more than was noted.
    appendFileSync(rejects, '{"line":1,"torn')

    const { stdout, stderr } = await server.run()
    expect(stderr).toMatch(/\nContinuing where it stopped, at line [3-8]\d\d\.\n$/)
    expect(stdout).toStartWith('1,000 rows read: 990 imported, 0 updated, 0 unchanged, 10 rejected.')
    expect(jsonLines(readFileSync(rejects, 'utf8')).map(({ line: number }) => number)).toEqual(
      Array.from({ length: 10 }, (_, at) => at * 100 + 52),
    )
    expect(existsSync(state)).toBe(false)
    expect(devicesOf(line)).toHaveLength(990)
  })

  test('begins anew when the file is another one, or the import is', async () => {
    using server = await serving()
    const { line, path } = server
    const statePath = join(line.data, 'd.csv.import-state')
    await server.run([], 400, stop)
    const state = readFileSync(statePath, 'utf8')
    expect((await server.run(['--on-conflict', 'replace'])).stderr).not.toContain('Continuing where')
    writeFileSync(statePath, state)
    appendFileSync(path, `${token(ROWS)},android,\n`)
    const { stdout, stderr } = await server.run()
    expect(stderr).not.toContain('Continuing where')
    expect(stdout).toStartWith('1,001 rows read: 1 imported, 0 updated, 990 unchanged, 10 rejected.')
    writeFileSync(statePath, '{"cut')
    expect((await server.run()).stdout).toStartWith('1,001 rows read: 0 imported')
  })

  test('goes on in a packed file, and in the middle of a document', async () => {
    using server = await serving()
    const { line, path } = server
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      deviceToken: token(at),
      deviceType: 'android',
      channels: [],
    }))
    writeFileSync(path, Bun.gzipSync(JSON.stringify({ results: rows, more: [1] })))
    expect((await server.run([], 400, stop)).stderr).toMatch(/Stopped after [3-8]\d\d rows/)
    const { stdout, stderr } = await server.run()
    expect(stderr).toContain('Continuing where')
    expect(stdout).toStartWith('1,000 rows read: 1,000 imported, 0 updated, 0 unchanged, 0 rejected.')
    expect(devicesOf(line)).toHaveLength(1000)
  })

  test('says so when its file changes meanwhile', async () => {
    using server = await serving()
    const { path } = server
    const { exitCode, stderr } = await server.run([], 400, () => truncateSync(path, 30_000))
    expect(stderr).toContain(`${path} changed while it was read: import it again. `)
    expect(exitCode).toBe(1)
  })

  test('shows on a terminal how far it is', async () => {
    using server = await serving()
    const { stderr, stdout } = await server.run(['--json'])
    const drawn = stderr.split('\r\u001B[K')
    expect(drawn.some((each) => /^100 % .*0\.2 of 0\.2 MB.* rows$/.test(each))).toBe(true)
    expect(drawn.at(-1)).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ read: 1000, imported: 990, rejected: 10 })
  })
})

test('a gigabyte of nothing, packed into a megabyte, is refused without being held in memory', async () => {
  using line = await withShop()
  const nothing = Bun.gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const path = line.file('bomb.csv.gz', Buffer.concat(Array.from({ length: 64 }, () => nothing)))
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, '../../../src/main.ts'), 'import', 'Shop', path, '--data', line.data],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', cwd: line.data },
  )
  // The peak at the end would include this process at the fork.
  let peakKib = 0
  while (child.exitCode === null) {
    const status = await Bun.file(`/proc/${child.pid}/status`)
      .text()
      .catch(() => '')
    peakKib = Math.max(peakKib, Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0))
    await Bun.sleep(5)
  }
  expect(child.exitCode).not.toBe(0)
  expect(await child.stderr.text()).toContain(`bellhop: ${path} `)
  expect(peakKib).toBeWithin(10_000, 300_000)
})

describe('what somebody has put in the way', () => {
  test('of the notes and of the rejects of an import is not written to', async () => {
    using line = await withShop()
    const theirs = line.file('theirs', '')
    const path = line.file('d.csv', `token,os\n${FCM},android\n,android\n`)
    const state = join(line.data, 'd.csv.import-state')
    for (const name of [`${state}.unfinished`, join(line.data, 'rejects.jsonl')]) symlinkSync(theirs, name)
    const print = { size: 1, mtimeMs: 1, begins: '' }
    const place = { offset: 0, line: 1 } as ImportState['place']
    writeState(state, { version: 1, print, order: '', place, counts: NO_COUNTS, promised: null, rejectBytes: 0 })
    expect(lstatSync(state).isFile()).toBeTrue()
    const run = await line.run(['import', 'Shop', path, '--rejects', join(line.data, 'rejects.jsonl')])
    expect(run).toMatchObject({ exitCode: 0 })
    expect(lstatSync(join(line.data, 'rejects.jsonl'))).toMatchObject({ mode: 0o100600 })
    expect(readFileSync(theirs, 'utf8')).toBe('')
  })

  test('of an export is not written to, and what a killed one has left goes', async () => {
    using line = await withShop()
    const theirs = line.file('theirs', '')
    using folder = temporaryDirectory('bellhop-exports')
    const to = join(folder.path, 'shop.jsonl')
    symlinkSync(theirs, `${to}.unfinished`)
    expect(await line.run(['export', 'Shop', to])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(lstatSync(to)).toMatchObject({ mode: 0o100600 })
    expect(readFileSync(theirs, 'utf8')).toBe('')
    writeFileSync(`${to}.unfinished`, 'half', { mode: 0o644 })
    expect(await line.run(['export', 'Shop', to, '--force'])).toMatchObject({ exitCode: 0 })
    expect(existsSync(`${to}.unfinished`)).toBeFalse()
    expect(statSync(to).mode & 0o777).toBe(0o600)
  })

  test('of the rejects of an import is another file, which stays, or a directory', async () => {
    using line = await withShop()
    const path = line.file('d.csv', `token,os\n,android\n`)
    const notes = line.file('notes.txt', 'notes')
    for (const more of [[], ['--dry-run']]) {
      expect(await line.run(['import', 'Shop', path, '--rejects', notes, ...more])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `bellhop: ${notes} exists, and is not a list of rejected rows: name another file with --rejects.\n`,
      })
    }
    expect(readFileSync(notes, 'utf8')).toBe('notes')
    expect(await line.run(['import', 'Shop', path, '--rejects', line.data])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: --rejects: ${line.data} is a directory: name a file in it.\n`,
    })
    for (const earlier of ['', '{"li', '{"line":7,"field":"token"}\n']) {
      const list = line.file('rejects.jsonl', earlier)
      expect(await line.run(['import', 'Shop', path, '--rejects', list])).toMatchObject({ exitCode: 0 })
      expect(jsonLines(readFileSync(list, 'utf8'))).toMatchObject([{ line: 2, field: 'token' }])
    }
  })

  test.each([[['export', 'Shop']], [['app', 'webpush-key', 'Shop']]])(
    'of %p replaces another file only by --force, and none of a data directory',
    async (words) => {
      using line = await withShop()
      expect(await line.run(['app', 'webpush', 'Shop', '--subject', 'mailto:ann@example.com'])).toMatchObject({
        exitCode: 0,
      })
      using folder = temporaryDirectory('bellhop-exports')
      const notes = join(folder.path, 'notes.txt')
      writeFileSync(notes, 'notes')
      expect(await line.run([...words, notes])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `bellhop: ${notes} exists: name another file, or replace it with --force.\n`,
      })
      expect(readFileSync(notes, 'utf8')).toBe('notes')
      expect(await line.run([...words, notes, '--force'])).toMatchObject({ exitCode: 0, stderr: '' })
      expect(readFileSync(notes, 'utf8')).toStartWith('{')
      for (const name of ['bellhop.db', 'key']) {
        const path = join(line.data, name)
        const before = readFileSync(path)
        expect(await line.run([...words, path, '--force'])).toEqual({
          exitCode: 1,
          stdout: '',
          stderr: `bellhop: ${path} exists: name another file.\n`,
        })
        expect(readFileSync(path)).toEqual(before)
      }
      symlinkSync(notes, join(folder.path, 'link'))
      expect(await line.run([...words, join(folder.path, 'link'), '--force'])).toMatchObject({ exitCode: 1 })
    },
  )

  test('of two exports to one file, neither takes what the other has half written for its own', async () => {
    using line = commandLine()
    const to = join(line.data, 'x')
    using first = startFile(to)
    using second = startFile(to)
    first.write(Buffer.from('first'))
    expect(() => first.finish()).toThrow('was taken by another process: nothing was changed')
    second.write(Buffer.from('second'))
    second.finish()
    expect(readFileSync(to, 'utf8')).toBe('second')
  })
})

describe('imported devices of a user', () => {
  const ROWS = `token,platform,user\n${APPLE},ios,ann\n${FCM},android,bob\n${FCM}2,android,\n`
  const adoptImported = async (line: CommandLine) =>
    JSON.parse((await line.run(['app', 'show', 'Shop', '--json'])).stdout).limits.adoptImported
  /** With a new token, as the application's limits allow. */
  async function registered(line: CommandLine, user: string): Promise<string> {
    const adopts = (await adoptImported(line)) === true
    using database = line.database()
    const devices = createDeviceStore({ database, clock: line.clock })
    const { kind } = database.transact(() => devices.register(1, { token: 'new', platform: 1, user }, { adopts }))
    return kind
  }

  test('are taken over by their next new token from then on, which is said', async () => {
    using line = commandLine()
    const { stdout } = await importing(line, 'd.csv', ROWS)
    const { id } = JSON.parse((await line.run(['app', 'show', 'Shop', '--json'])).stdout)
    expect(stdout).toBe(
      `3 rows read: 3 imported, 0 updated, 0 unchanged, 0 rejected.\n2 of the imported have a user: the user's next new token replaces each of them, unless it registers first. bellhop app limits ${id} --no-adopt-imported turns that off.\n`,
    )
    expect(await adoptImported(line)).toBe(true)
    const shown = async () => (await line.run(['app', 'show', 'Shop'])).stdout
    expect(await shown()).toContain('\n  imported  2 devices of a user, not registered since\n')
    expect(await registered(line, 'bob')).toBe('updated')
    expect(await shown()).toContain('\n  imported  1 device of a user, not registered since\n')
    expect(devicesOf(line).map(({ token }) => token)).toEqual([APPLE, 'new', `${FCM}2`])
  })

  test('is one, where it is one', async () => {
    using line = commandLine()
    const { stdout } = await importing(line, 'd.csv', `token,platform,user\n${APPLE},ios,ann\n`)
    expect(stdout).toContain(
      "\n1 of the imported has a user: the user's next new token replaces it, unless it registers first.",
    )
  })

  test('are not, where an operator has said so before', async () => {
    using line = await withShop()
    await line.run(['app', 'limits', 'Shop', '--no-adopt-imported'])
    const { stdout } = await importing(line, 'd.csv', ROWS)
    expect(stdout).toEndWith(
      '2 of the imported have a user. A new token of that user becomes an additional device: adopt-imported is off.\n',
    )
    expect(await adoptImported(line)).toBe(false)
    expect(await registered(line, 'bob')).toBe('created')
  })

  test('leave the application as it is where they only would be imported, or have no user', async () => {
    using line = commandLine()
    const { stdout } = await importing(line, 'd.csv', ROWS, '--dry-run', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ imported: 3, adoptable: 2 })
    expect(await adoptImported(line)).toBe(null)
    const { stdout: said } = await importing(line, 'd.csv', `token,platform\n${APPLE},ios\n`)
    expect(said).toBe('1 row read: 1 imported, 0 updated, 0 unchanged, 0 rejected.\n')
    expect(await adoptImported(line)).toBe(null)
  })

  test('of which none is new say nothing', async () => {
    using line = commandLine()
    await importing(line, 'd.csv', ROWS)
    await line.run(['app', 'limits', 'Shop', '--no-adopt-imported'])
    const { stdout } = await importing(line, 'd.csv', ROWS)
    expect(stdout).toBe('3 rows read: 0 imported, 0 updated, 3 unchanged, 0 rejected.\n')
    expect(await adoptImported(line)).toBe(false)
  })

  test('whose place was taken do not come again', async () => {
    using line = commandLine()
    await importing(line, 'd.csv', ROWS)
    await registered(line, 'bob')
    for (const flags of [[], ['--on-conflict', 'replace']]) {
      const { stdout } = await importing(line, 'd.csv', ROWS, ...flags)
      expect(stdout).toStartWith(
        '3 rows read: 0 imported, 0 updated, 3 unchanged, 0 rejected.\n1 of the unchanged have newer data',
      )
    }
    expect(devicesOf(line)).toHaveLength(3)
  })
})
