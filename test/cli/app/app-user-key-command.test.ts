import { describe, expect, test } from 'bun:test'
import { createUserKeyStore } from '../../../src/application/user-key-store.ts'
import type { UserKeys } from '../../../src/application/user-key.ts'
import { keyOf, openShop, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const DAY_MS = 24 * 60 * 60 * 1000

function stored(cli: CommandLine): UserKeys | null {
  using shop = openShop(cli)
  return createUserKeyStore({ ...shop, key: keyOf(cli) }).find(shop.application)
}

async function makeKey(
  cli: CommandLine,
  ...flags: string[]
): Promise<{ userKey: string; previousUntil: string | null }> {
  const { exitCode, stdout } = await cli.run(['app', 'user-key', 'Shop', '--json', ...flags])
  expect(exitCode).toBe(0)
  return JSON.parse(stdout)
}

describe('app user-key', () => {
  test('--json prints exactly one line, and the key in it is the one that is stored', async () => {
    using cli = await withShop()
    const { exitCode, stdout, stderr } = await cli.run(['app', 'user-key', 'Shop', '--json'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const { userKey } = JSON.parse(stdout)
    expect(userKey).toMatch(/^bhu_[\w-]{43}$/)
    const createdAt = new Date(cli.clock.now()).toISOString()
    const told = { id: cli.id, userKey, name: 'Shop', createdAt, previousUntil: null }
    expect(stdout).toBe(`${JSON.stringify(told)}\n`)
    expect(stored(cli)).toEqual({ key: userKey, previous: null })
  })

  test('shows the key, says that it is shown once, and what to do with it', async () => {
    using cli = await withShop()
    const first = await cli.run(['app', 'user-key', 'Shop'])
    const [key = ''] = /bhu_[\w-]+/.exec(first.stdout) ?? []
    const head = (key: string) => ['"Shop" has a new user key.', '', `  ${key}`, '']
    const once =
      "Copy it to your backend now; you won't see it again. Your backend signs user IDs with it (bellhop manual users)."
    const verify = `To have every user proven: bellhop app limits ${cli.id} --verify-users`
    const made = `Credentials are sealed with the new key ${cli.data}/key: keep a copy of it, separate from the database.`
    expect(first.stdout).toBe([...head(key), once, verify, made, ''].join('\n'))

    await cli.run(['app', 'limits', 'Shop', '--verify-users'])
    const second = await cli.run(['app', 'user-key', cli.id])
    const [next = ''] = /bhu_[\w-]+/.exec(second.stdout) ?? []
    const until = new Date(cli.clock.now() + 30 * DAY_MS).toISOString()
    const before = [
      `The previous key is valid until ${until}.`,
      'If the old key has leaked, run the command again with --overlap 0s: it creates another key and revokes both.',
    ]
    expect(second.stdout).toBe([...head(next), once, ...before, ''].join('\n'))
    expect(stored(cli)).toMatchObject({ key: next, previous: { key } })
  })

  test('keeps the key before it for the overlap, and none that was before that', async () => {
    using cli = await withShop()
    const first = await makeKey(cli)
    const second = await makeKey(cli, '--overlap', '24h')
    const until = cli.clock.now() + DAY_MS
    expect(second.previousUntil).toBe(new Date(until).toISOString())
    expect(stored(cli)).toEqual({ key: second.userKey, previous: { key: first.userKey, until } })
    const third = await makeKey(cli, '--overlap=90s')
    expect(stored(cli)).toMatchObject({ key: third.userKey, previous: { key: second.userKey } })
    const fourth = await makeKey(cli, '--overlap', '0s')
    expect(fourth.previousUntil).toBeNull()
    expect(stored(cli)).toEqual({ key: fourth.userKey, previous: null })
  })

  test('is told by app show, which says when the key was made and never what it is', async () => {
    using cli = await withShop()
    const keys = [await makeKey(cli), await makeKey(cli, '--overlap', '1h')]
    const { stdout } = await cli.run(['app', 'show', 'Shop'])
    const until = keys[1]?.previousUntil ?? ''
    expect(stdout).toContain(`  user key  made 2026-11-20; the previous one is valid until ${until}\n`)
    const json = await cli.run(['app', 'show', 'Shop', '--json'])
    const createdAt = new Date(cli.clock.now()).toISOString()
    expect(JSON.parse(json.stdout).userKey).toEqual({ createdAt, previousUntil: until })
    for (const { userKey } of keys) expect(stdout + json.stdout).not.toContain(userKey.slice(4))
    cli.clock.advance(60 * 60 * 1000)
    expect((await cli.run(['app', 'show', 'Shop'])).stdout).toContain('  user key  made 2026-11-20\n')
  })

  test('refuses an overlap that is no time, and makes nothing', async () => {
    using cli = await withShop()
    for (const overlap of ['', '1', 'soon', '-1h', '366d', '1.5h']) {
      const { exitCode, stderr } = await cli.run(['app', 'user-key', 'Shop', `--overlap=${overlap}`])
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(`--overlap: "${overlap}" is not a time such as 90s`),
      ])
    }
    expect((await cli.run(['app', 'show', 'Shop', '--json'])).stdout).toContain('"userKey":null')
  })

  test('is refused with a sealing key that opens nothing, and the key there is stays', async () => {
    using cli = await withShop()
    const { userKey } = await makeKey(cli)
    const other = Buffer.alloc(32, 9).toString('base64')
    const { exitCode, stderr } = await cli.run(['app', 'user-key', 'Shop'], { BELLHOP_KEY: other })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is not the one that opens what is sealed')])
    expect(stored(cli)).toMatchObject({ key: userKey })
  })
})
