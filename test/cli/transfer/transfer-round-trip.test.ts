import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { createStatsStore } from '../../../src/stats/stats-store.ts'
import { createEventStore } from '../../../src/webhook/event-store.ts'
import { commandLine, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const HOUR = 3_600_000

/** mulberry32: the same numbers each time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const NAMES = [
  'beta',
  'with, comma',
  '"quoted"',
  'größe',
  '日本',
  '🛎️',
  'a|b',
  ' spaced ',
  '{"json":[1]}',
  'x'.repeat(256),
]
const ZONES = ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', '']
/** RFC 8291, appendix A: public keys. */
const KEYS = {
  p256dh: Uint8Array.fromBase64(
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    { alphabet: 'base64url' },
  ),
  auth: Uint8Array.fromBase64('BTBZMqHH6r4Tts7J_aSIgg', { alphabet: 'base64url' }),
}
const REASONS = ['Unregistered', 'BadDeviceToken', 'UNREGISTERED']

/** All states, and easily lost details. */
function fill(line: CommandLine, seed: number, devices: number): void {
  const { clock } = line
  const next = random(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const some = () => NAMES.filter(() => next() < 0.3)
  using database = line.database()
  const registry = createDeviceStore({ database, clock })
  const stats = createStatsStore({
    database,
    pushes: createPushStore({ database }),
    events: createEventStore({ database }),
  })
  database.transact(() => {
    for (let at = 0; at < devices; at++) {
      clock.advance(Math.floor(next() * HOUR))
      const platform = next() < 0.5 ? 0 : 1
      const token =
        platform === 0 && next() < 0.8
          ? Array.from({ length: 8 }, () =>
              Math.floor(next() * 2 ** 32)
                .toString(16)
                .padStart(8, '0'),
            ).join('')
          : `tök:${at}-${next()}`
      const place = next() < 0.4 ? { lat: next() * 180 - 90, lng: next() < 0.1 ? -180 : next() * 360 - 180 } : {}
      const alias = next() < 0.5 ? `${pick(NAMES).slice(0, 40)}-${at}` : ''
      registry.register(1, {
        token,
        platform,
        ...place,
        alias,
        user: NAMES[at % NAMES.length] ?? '',
        tag: some(),
        active: some(),
        timezone: pick(ZONES),
        locale: ['', 'de', 'pt-BR', 'zh-Hans-CN'][at % 4],
      })
      const id = registry.idOf(1, platform, token) ?? 0
      if (next() < 0.3) registry.setBadge(1, { platform, token, badge: Math.floor(next() * 2_147_483_647) })
      if (next() < 0.3) registry.rememberEnvironment(id, next() < 0.5 ? 'production' : 'sandbox')
      clock.advance(Math.floor(next() * HOUR))
      const fate = next()
      const verdict = { now: clock.now(), since: clock.now(), reason: pick(REASONS) }
      if (fate < 0.15) registry.markGone(id, verdict)
      else if (fate < 0.3) registry.quarantine(id, verdict)
      if (fate < 0.05) registry.unregister(1, platform, token)
      else if (next() < 0.1) {
        clock.advance(1)
        registry.register(1, { token, platform })
      }
      for (const event of ['opened', 'received', 'received'] as const) {
        stats.record(1, platform, { event, action: null, push: null, token: null }, clock.now())
      }
    }
    const imports = createImportStore({ database, clock })
    for (const user of ['ann', 'bob', 'cyd']) {
      const listed = { platform: 1, user, tag: some(), imported: true } as const
      imports.put(1, { token: `imported:${user}`, ...listed })
    }
    registry.register(1, { token: 'imported:bob', platform: 1 })
    registry.register(1, { token: 'https://fcm.googleapis.com/fcm/send/1', platform: 2, keys: KEYS, tag: some() })
    registry.register(1, { token: 'own:cyd', platform: 1, user: 'cyd' }, { adopts: true })
  })
}

/** Without place and time of the export. */
async function exported(line: CommandLine, app: string): Promise<string[]> {
  const { stdout, exitCode } = await line.run(['export', app])
  expect(exitCode).toBe(0)
  return stdout.split('\n').map((each) => each.replace(/"application":\{.*\},"exported_at":"[^"]*",/, ''))
}

describe('an export and its import', () => {
  for (const seed of [1, 2, 3]) {
    test(`lose nothing (${seed})`, async () => {
      using from = commandLine()
      using to = commandLine()
      await from.run(['app', 'create', 'Shop'])
      fill(from, seed, 400)
      const before = await exported(from, 'Shop')
      expect(before.some((each) => each.includes('"state":"gone"'))).toBe(true)
      expect(before.some((each) => each.includes('"kind":"feedback"'))).toBe(true)
      for (const marker of [
        `"keys":{"p256dh":"${KEYS.p256dh.toBase64({ alphabet: 'base64url', omitPadding: true })}","auth":`,
        '"imported":true}',
        '"imported":false}',
        '"imported":false,"adopted":{"token":"imported:cyd",',
      ]) {
        expect(before.filter((each) => each.includes(marker))).toHaveLength(1)
      }

      const packed = join(from.data, 'shop.jsonl.gz')
      await from.run(['export', 'Shop', packed])
      expect(statSync(packed).mode & 0o777).toBe(0o600)

      await to.run(['app', 'create', 'Other'])
      await to.run(['app', 'create', 'Copy'])
      // Times must be the devices', not the import's.
      to.clock.advance(900 * HOUR)
      const rejects = ['--rejects', join(to.data, 'rejects.jsonl')]
      const imported = await to.run(['import', 'Copy', packed, '--json', ...rejects])
      const { read, imported: count, rejects: rejected } = JSON.parse(imported.stdout) as Record<string, unknown>
      expect([count, rejected]).toEqual([read, null])
      expect(await exported(to, 'Copy')).toEqual(before)
      expect(await exported(to, 'Other')).toHaveLength(2)

      // Importing again changes nothing here or at the source.
      await to.run(['import', 'Copy', packed, ...rejects])
      expect(await exported(to, 'Copy')).toEqual(before)
      const back = await from.run(['import', 'Shop', packed, '--json', ...rejects])
      expect(JSON.parse(back.stdout)).toMatchObject({ read, imported: 0, updated: 0, unchanged: read })
      expect(await exported(from, 'Shop')).toEqual(before)
    })
  }

  test('go through a file of lines as well as through a packed one', async () => {
    using line = commandLine()
    const { secret } = JSON.parse((await line.run(['app', 'create', 'Shop', '--json'])).stdout) as { secret: string }
    await line.run(['app', 'create', 'Copy'])
    fill(line, 4, 50)
    const path = join(line.data, 'shop.jsonl')
    const { stdout } = await line.run(['export', '--app', 'Shop', path])
    expect(stdout).toMatch(
      /^Exported \d+ devices to .*shop\.jsonl, with \d+ entries of feedback and \d+ of statistics\.\n$/,
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const lines = readFileSync(path, 'utf8').split('\n')
    const header = JSON.parse(lines[0] ?? '') as { application: object }
    expect(header).toMatchObject({
      format: 'bellhop-export',
      version: 1,
      application: { name: 'Shop', limits: { rate: 10 } },
    })
    // No secret, and no hash.
    expect(Object.keys(header.application)).toEqual(['id', 'name', 'limits'])
    expect(lines.join()).not.toContain(secret)
    await line.run(['import', '--app', 'Copy', path, '--rejects', join(line.data, 'rejects.jsonl')])
    expect(await exported(line, 'Copy')).toEqual(await exported(line, 'Shop'))
  })
})

describe('an export', () => {
  test('of nothing is a header', async () => {
    using line = await withShop()
    const { stdout } = await line.run(['export', 'Shop', '-'])
    expect(JSON.parse(stdout)).toMatchObject({ counts: { devices: 0, feedback: 0, tallies: 0 } })
  })

  test('stops when its reader has gone', async () => {
    using line = await withShop()
    fill(line, 5, 1500)
    let writes = 0
    const { exitCode, stderr } = await line.run(['export', 'Shop'], {}, { stdout: () => ++writes < 2 })
    // The third is empty.
    expect([writes, exitCode, stderr]).toEqual([3, 0, ''])
  })

  test('leaves what was there when it fails', async () => {
    using line = await withShop()
    const { exitCode, stderr } = await line.run(['export', 'Shop', join(line.data, 'missing', 'shop.jsonl')])
    expect(exitCode).toBe(1)
    const missing = join(line.data, 'missing')
    expect(stderr).toBe(
      `bellhop: ${missing}/shop.jsonl.unfinished cannot be created or opened: there is no directory ${missing}. Create or mount it.\n`,
    )
    // Before anything is written.
    expect(await line.run(['export', 'Shop', line.data])).toEqual(
      refused(1, `${line.data} is a directory: name a file in it.`),
    )
    const below = join(line.file('file', ''), 'shop.jsonl')
    expect(await line.run(['export', 'Shop', below])).toEqual(
      refused(1, `${below} cannot be reached: a part of its path is a file.`),
    )
  })

  test('is asked for rightly', async () => {
    using line = await withShop()
    const run = async (...argv: string[]) => {
      const { exitCode, stderr } = await line.run(argv)
      return [exitCode, stderr]
    }
    expect(await run('export')).toEqual([2, 'bellhop: export needs APP.\n'])
    expect(await run('export', '--app', 'Shop', 'a', 'b')).toEqual([
      2,
      'bellhop: "b" is too much: with --app, export takes only FILE.\n',
    ])
    expect(await run('export', 'Shp')).toEqual([
      1,
      `bellhop: There is no application "Shp" in ${line.data}: bellhop app list lists them. Did you mean Shop?\n`,
    ])
  })
})
