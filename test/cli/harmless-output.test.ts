import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/commands.ts'
import { startService } from '../support/service.ts'
import { commandLine } from './command-line.ts'
import type { CommandLine } from './command-line.ts'
import { HASTY } from './everyday-service.ts'

/** Cursor movement, titles and text direction. Line breaks are Bellhop's own. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HARMFUL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/

/** Commands would refuse this name. A restored database may hold it. */
const EVIL = 'Shop\u001B]0;owned\u0007\u009B2J\u202Ex'
const SPELT = String.raw`Shop\x1b]0;owned\x07\x9b2J\u202ex`

async function withEvil(): Promise<CommandLine & { readonly id: string }> {
  const cli = commandLine()
  const { id } = JSON.parse((await cli.run(['app', 'create', 'Shop', '--json'])).stdout)
  await cli.run(['app', 'webhook', id, '--url', 'https://shop.example/hooks'])
  using database = cli.database()
  database.statement<never, [string]>('UPDATE application SET name = ?').run(EVIL)
  return { ...cli, id, [Symbol.dispose]: () => cli[Symbol.dispose]() }
}

test('no command lets the name of an application move a terminal', async () => {
  using cli = await withEvil()
  const { id } = cli
  const file = cli.file('a.csv', `"tok\u001B[2Jen","\u009B2J"\n"x","y"\n`)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = cli.file('AuthKey_ABC123DEFG.p8', privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const template = { push: { platform: ['0'], msg: '\u009B2J', sound: '', badge: '' }, where: {} }
  const hook = cli.file('hook.json', JSON.stringify(template))
  const rejects = ['--rejects', join(cli.data, 'rejects.jsonl')]
  const backup = join(cli.data, 'b.db')
  const named: readonly (readonly string[])[] = [
    ['app', 'list'],
    ['app', 'show', id],
    ['app', 'rotate-secret', id],
    ['app', 'user-key', id],
    ['app', 'simulate', id],
    ['app', 'simulate', id, '--off'],
    ['app', 'webhook', id],
    ['app', 'webhook', id, '--secret', 'new'],
    ['app', 'webhook', id, '--remove'],
    ['app', 'create', EVIL],
    ['app', 'delete', EVIL],
    ['stats', id],
    ['doctor', id, '--offline'],
    ['push', EVIL.slice(1), 'x', '--all'],
    ['app', 'webhook', id, '--events', 'device.gone'],
    ['app', 'apns', id, '--key', key, '--team-id', 'DEF123GHIJ', '--topic', 'b.c'],
    ['app', 'fcm', EVIL.slice(1), '--service-account', 'none'],
  ]
  const others: readonly (readonly string[])[] = [
    ['app', 'limits', id],
    ['app', 'show', '\u001B[2J'],
    ['devices', id],
    ['pushes', id],
    ['stats'],
    ['devices', id, '--limit', '\u001B[2J'],
    ['explain', '\u009B2J', 'x'],
    ['push', id, '\u001B', '--all', '--payload', '\u001B'],
    ['\u001B[2J'],
    ['--\u001B[2J'],
    ['serve', '--listen', '\u001B[2J'],
    ['import', id, file, ...rejects],
    ['import', id, file, ...rejects, '--map', 'token=\u001B'],
    ['import', id, file, ...rejects, '--map', 'token=tok\u001B[2Jen', '--platform', 'ios'],
    ['export', '\u009B2J'],
    ['restore', '\u001B[2J'],
    ['backup', 'verify', '\u001B[2J'],
    ['backup', backup],
    ['backup', 'verify', backup],
    ['restore', backup, '--data', join(cli.data, 'elsewhere')],
    ['key', 'rotate'],
    ['devices', 'restore', id, '--since', '1h', '--reason', '\u001B'],
    ['labels', id],
    ['labels', id, '--limit', '\u001B[2J'],
    ['cancel', '\u009B2J'],
    ['resend', '\u009B2J'],
    ['app', 'webpush', id],
    ['app', 'webpush-key', id, join(cli.data, '\u009B2J')],
    ['app', 'webpush', id, '--subject', '\u009B2J'],
    ['app', 'webpush', id, '--subject', 'mailto:a@example.com', '--key', '\u009B2J'],
    ['pushes', id, '--after', '\u009B2J'],
    ['tail', '\u009B2J'],
    ['backup', 'list', '\u009B2J'],
    ['systemd', '--user', '\u009B2J'],
    ['manual', '\u009B2J'],
    ['completions', '\u009B2J'],
    ['upgrade', '--from', 'http://\u009B2J'],
    ['health', '--admin-listen', '\u009B2J'],
    ['config', '--listen', '\u009B2J'],
    ['app', 'limits', id, '--rate', '\u009B2J'],
    ['app', 'list', '--server', '\u009B2J'],
    ['app', 'list', '--server', 'https://127.0.0.1:1', '--token-file', '\u009B2J'],
    ['compact'],
    ['help', '\u009B2J'],
    ['version'],
    ['licenses'],
    ['demo', '--listen', '\u009B2J'],
    ['admin', 'add', 'ann'],
    ['admin', 'add', '\u009B2J'],
    ['admin', 'list'],
    ['admin', 'link'],
    ['admin', 'link', '\u009B2J'],
    ['admin', 'link', '--url', '\u009B2J'],
    ['admin', 'reset', '\u009B2J'],
    ['admin', 'totp', '\u009B2J'],
    ['admin', 'remove', '\u009B2J'],
    ['admin', 'token', '\u009B2J'],
    ['admin', 'tokens'],
    ['admin', 'revoke', '\u009B2J'],
    ['audit'],
    ['audit', '--json'],
    ['audit', '--csv'],
    ['audit', '\u009B2J'],
    ['client', '\u009B2J', '\u009B2J'],
    ['app', 'move', id],
    ['app', 'move', '\u009B2J'],
    ['app', 'move', '\u009B2J', '--finish'],
    ['app', 'move', id, '--to', 'http://127.0.0.1:1', '--to-token-file', '\u009B2J'],
    ['alert', 'add', 'ntfy', 'https://ntfy.test/\u009B2J', '--name', '\u009B2J'],
    ['alert', 'add', '\u009B2J', '\u009B2J'],
    ['alert', 'add', 'ntfy', 'https://ntfy.test/\u009B2J'],
    ['alert', 'list'],
    ['alert', 'test', 'ntfy'],
    ['alert', 'test', '\u009B2J'],
    ['alert', 'delete', 'ntfy', '--yes'],
    ['alert', 'delete', '\u009B2J', '--yes'],
    ['hook', 'create', id, '\u009B2J', '--template', hook],
    ['hook', 'create', id, 'orders', '--template', hook],
    ['hook', 'list'],
    ['hook', 'list', '\u009B2J'],
    ['hook', 'show', 'orders'],
    ['hook', 'show', '\u009B2J'],
    ['hook', 'preview', 'orders', '--example', hook],
    ['hook', 'preview', 'orders', '--example', hook, '--header', '\u009B2J'],
    ['hook', 'delete', 'orders', '--yes'],
    ['backend', '\u009B2J'],
    ['skill'],
    ['mcp', id, '\u009B2J'],
    ['user', 'show', id, '\u009B2J'],
    ['user', 'erase', id, '\u009B2J'],
    ['user', 'erase', id, '\u009B2J', '--yes'],
  ]
  const tried = [...named, ...others].map((argv) => argv.join(' '))
  expect(COMMANDS.map(({ name }) => name).filter((name) => !tried.some((line) => line.startsWith(name)))).toEqual([])
  for (const argv of [...named, ...others]) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await cli.run([...argv, ...more])
      expect([argv, HARMFUL.exec(stdout + stderr)]).toEqual([argv, null])
      // Of nothing --json prints nothing.
      if (more.length === 0) expect([argv, stdout + stderr]).not.toEqual([argv, ''])
    }
  }
  expect((await cli.run(['app', 'list'])).stdout).toContain(SPELT)
  expect(JSON.parse((await cli.run(['app', 'list', '--json'])).stdout)[0].name).toBe(EVIL)
})

test('a restore names what would be lost so that it moves nothing', async () => {
  using cli = commandLine()
  await cli.run(['app', 'create', 'Old'])
  const backup = join(cli.data, 'b.db')
  await cli.run(['backup', backup])
  await cli.run(['app', 'create', 'Newer'])
  {
    using database = cli.database()
    database.statement<never, [string]>(`UPDATE application SET name = ? WHERE name = 'Newer'`).run(EVIL)
  }
  const { exitCode, stderr } = await cli.run(['restore', backup])
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(SPELT) })
  expect(stderr).not.toMatch(HARMFUL)
  const shown = (await cli.run(['app', 'delete', EVIL, '--yes'])).stdout
  expect(shown).toBe(`Deleted the application "${SPELT}".\n`)
})

test('a key that is lost tells which credentials are, so that it moves nothing', async () => {
  using cli = await withEvil()
  rmSync(join(cli.data, 'key'))
  const { exitCode, stdout } = await cli.run(['key', 'rotate', '--discard'])
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Erased: the webhook secret of "${SPELT}".\n`)])
  expect(stdout).not.toMatch(HARMFUL)
})

test('what happens is told so that it moves nothing', async () => {
  using cli = await withEvil()
  const told: string[] = []
  const stdout = (text: string) => {
    told.push(text)
    return false
  }
  await using _ = await startService({ data: cli.data, application: { id: cli.id, secret: '' }, clock: HASTY })
  const tail = cli.run(['tail'], {}, { stdout, clock: HASTY })
  while (told.length === 0) await cli.run(['push', cli.id, 'Hello', '--all', '--no-wait'], {}, { clock: HASTY })
  await tail
  expect(told.join('')).toContain(SPELT)
  expect(told.join('')).not.toMatch(HARMFUL)
})
