import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { createWebhookStore } from '../../../src/webhook/webhook-store.ts'
import { openShop, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const URL = 'https://shop.example/hooks'
const SECRET = `whsec_${Buffer.alloc(24, 5).toString('base64')}`
const HEX = '0123456789abcdef'.repeat(4)
const OTHER = 'fedcba9876543210'.repeat(4)
const SETTINGS = 'of the settings (BELLHOP_KEY, BELLHOP_KEY_FILE or the systemd credential bellhop-key)'

/** With a webhook, whose secret is sealed. */
async function withWebhook(env: Readonly<Record<string, string>> = {}): Promise<CommandLine> {
  const cli = await withShop()
  const { exitCode } = await cli.run(['app', 'webhook', 'Shop', '--url', URL, '--secret', SECRET], env)
  expect(exitCode).toBe(0)
  return cli
}

function opensWith(cli: CommandLine, key: string): boolean {
  using shop = openShop(cli)
  const webhooks = createWebhookStore({ ...shop, key: Buffer.from(key, key.length === 64 ? 'hex' : 'base64') })
  return webhooks.receiver(shop.application.number)?.secret === SECRET
}

const keyOf = (cli: CommandLine) => readFileSync(join(cli.data, 'key'), 'utf8').trim()

describe('key rotate', () => {
  test('seals everything with a new key and says where the old one is', async () => {
    using cli = await withWebhook()
    const old = keyOf(cli)
    const kept = join(cli.data, 'key.until-20261120T120000Z')
    expect(await cli.run(['key', 'rotate'])).toEqual({
      exitCode: 0,
      stdout: `One record is sealed with the new key ${cli.data}/key.\nThe previous key is in ${kept}: backups made before now can only be opened with it, so keep it as long as those backups.\n`,
      stderr: '',
    })
    expect(opensWith(cli, keyOf(cli))).toBe(true)
    expect(opensWith(cli, old)).toBe(false)
    expect(readFileSync(kept, 'utf8').trim()).toBe(old)
  })

  test('--to moves the key away from the database, and --json prints one line without it', async () => {
    using cli = await withWebhook()
    const to = join(cli.data, 'elsewhere')
    const { stdout, exitCode } = await cli.run(['key', 'rotate', '--to', to, '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      key: to,
      resealed: 1,
      erased: [],
      kept: join(cli.data, 'key.until-20261120T120000Z'),
    })
    expect(existsSync(join(cli.data, 'key'))).toBe(false)
    const key = readFileSync(to, 'utf8').trim()
    expect(stdout).not.toContain(key)
    expect(opensWith(cli, key)).toBe(true)
    const env = { BELLHOP_KEY_FILE: to }
    expect((await cli.run(['app', 'webhook', 'Shop', '--url', `${URL}/2`], env)).exitCode).toBe(0)
    expect(opensWith(cli, key)).toBe(true)
  })

  test('tells which variable needs the new file, where the old key was a setting', async () => {
    using cli = await withWebhook({ BELLHOP_KEY: HEX })
    const to = join(cli.data, 'elsewhere')
    expect(await cli.run(['key', 'rotate', '--to', to], { BELLHOP_KEY: HEX })).toEqual({
      exitCode: 0,
      stdout: `One record is sealed with the new key ${to}.\nBellhop now needs it: BELLHOP_KEY_FILE=${to}\nThe previous key was not stored: backups made before now can only be opened with it, so keep it as long as those backups.\n`,
      stderr: '',
    })
  })

  test('is refused while a server holds the directory', async () => {
    using cli = await withWebhook()
    const old = keyOf(cli)
    using lock = lockDirectory(cli.data)
    expect(lock).not.toBeNull()
    expect(await cli.run(['key', 'rotate'])).toEqual(
      refused(1, `A server is running on ${cli.data}, with the current key: stop it, then rotate the key.`),
    )
    expect(keyOf(cli)).toBe(old)
  })

  test('with a wrong key is refused, and with --discard erases what it does not open', async () => {
    using cli = await withWebhook({ BELLHOP_KEY: HEX })
    const to = join(cli.data, 'elsewhere')
    const lost = `The sealing key ${SETTINGS} does not open the one sealed record in the database (of "Shop"): put the right key back. If that key is lost for good, bellhop key rotate --discard erases it, and each application needs its credentials again.`
    const env = { BELLHOP_KEY: OTHER }
    expect(await cli.run(['key', 'rotate', '--to', to], env)).toEqual(refused(1, lost))
    const { stdout } = await cli.run(['key', 'rotate', '--to', to, '--discard'], env)
    expect(stdout).toStartWith(`Nothing is sealed yet with the new key ${to}.\nErased: the webhook secret of "Shop".\n`)
    expect((await cli.run(['app', 'webhook', 'Shop'])).stdout).toBe('"Shop" has no webhook.\n')
  })
})

describe('a command that seals', () => {
  const apns = ['app', 'webhook', 'Shop', '--url', `${URL}/2`, '--secret', 'new']

  test('refuses a key that opens nothing of what is there, and changes nothing', async () => {
    using cli = await withWebhook()
    const before = keyOf(cli)
    const wrong = await cli.run(apns, { BELLHOP_KEY: HEX })
    expect(wrong).toEqual(
      refused(
        1,
        `The sealing key ${SETTINGS} is not the one that opens what is sealed in the database; the key in ${cli.data}/key is: set BELLHOP_KEY_FILE=${cli.data}/key in place of this one.`,
      ),
    )
    renameSync(join(cli.data, 'key'), join(cli.data, 'hidden'))
    expect((await cli.run(apns)).stderr).toStartWith(`bellhop: The sealing key ${cli.data}/key is missing`)
    expect(existsSync(join(cli.data, 'key'))).toBe(false)
    expect(opensWith(cli, before)).toBe(true)
    expect((await cli.run(['app', 'webhook', 'Shop'])).stdout).toEndWith(`to ${URL}\n`)
  })

  test('takes the key that systemd gives the service, unless a variable says otherwise', async () => {
    using cli = await withShop()
    cli.file('bellhop-key', `${HEX}\n`)
    const env = { CREDENTIALS_DIRECTORY: cli.data }
    const set = ['app', 'webhook', 'Shop', '--url', URL, '--secret', SECRET]
    expect((await cli.run(set, env)).exitCode).toBe(0)
    expect(opensWith(cli, HEX)).toBe(true)
    expect(existsSync(join(cli.data, 'key'))).toBe(false)
    expect((await cli.run(set, { ...env, BELLHOP_KEY: OTHER })).stderr).toContain('does not open the one sealed record')
    writeFileSync(join(cli.data, 'bellhop-key'), 'short')
    const short = await cli.run(set, env)
    expect(short.exitCode).toBe(2)
    expect(short.stderr).toStartWith('bellhop: BELLHOP_KEY: the value is not 32 bytes in base64')
    rmSync(join(cli.data, 'bellhop-key'))
    expect((await cli.run(set, env)).stderr).toContain('is missing')
  })
})
