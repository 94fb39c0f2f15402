import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sendingNote } from '../../../src/webhook/address-guard.ts'
import { createWebhookStore } from '../../../src/webhook/webhook-store.ts'
import { keyOf, openShop, printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const URL = 'https://shop.example/hooks?a=b'
const SECRET = `whsec_${Buffer.alloc(24, 5).toString('base64')}`
const BY_DEFAULT = 'push.finished, device.gone, credential.paused, credential.resumed'
const ALL = 'push.finished, push.opened, device.gone, credential.paused, credential.resumed'

function secretOf(cli: CommandLine): string | null | undefined {
  using shop = openShop(cli)
  return createWebhookStore({ ...shop, key: keyOf(cli) }).receiver(shop.application.number)?.secret
}

describe('app webhook', () => {
  test('stores the address and all events, and shows a new secret this once', async () => {
    using cli = await withShop()
    const { exitCode, stdout, stderr } = await cli.run(['app', 'webhook', 'Shop', '--url', URL])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const secret = /whsec_\S+/.exec(stdout)?.[0] ?? ''
    expect(stdout.split('\n')).toEqual([
      `"Shop" has a webhook: ${BY_DEFAULT} to ${URL}`,
      '',
      `  ${secret}`,
      '',
      "Copy the secret to the receiver now; you won't see it again.",
      `Credentials are sealed with the new key ${cli.data}/key: keep a copy of it, separate from the database.`,
      '',
    ])
    expect(secretOf(cli)).toBe(secret)
    expect(await cli.run(['app', 'webhook', 'Shop'])).toEqual(printed(`${BY_DEFAULT} to ${URL}`))
    expect((await cli.run(['app', 'show', 'Shop'])).stdout).toContain(`  webhook   ${BY_DEFAULT} to ${URL}\n`)
    expect((await cli.run(['app', 'show', 'Shop'])).stdout).not.toContain('whsec_')
  })

  test('--json prints one line, with the secret when it is new', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'webhook', 'Shop', '--json'])).toEqual(printed('null'))
    const set = await cli.run(['app', 'webhook', 'Shop', '--url', URL, '--events', 'device.gone', '--json'])
    const shown = { url: URL, events: ['device.gone'], disabledAt: null }
    expect(JSON.parse(set.stdout)).toEqual({ ...shown, secret: secretOf(cli) })
    expect(JSON.parse((await cli.run(['app', 'webhook', 'Shop', '--json'])).stdout)).toEqual(shown)
    expect(JSON.parse((await cli.run(['app', 'show', 'Shop', '--json'])).stdout).webhook).toEqual(shown)
  })

  test('what is not given stays as it is, the secret too', async () => {
    using cli = await withShop()
    await cli.run(['app', 'webhook', 'Shop', '--url', URL, '--secret', SECRET, '--events', 'device.gone'])
    expect(await cli.run(['app', 'webhook', 'Shop', '--url', 'https://other.example/'])).toEqual(
      printed('"Shop" has a webhook: device.gone to https://other.example/'),
    )
    const both = ['--events', 'credential.paused, push.finished']
    expect(await cli.run(['app', 'webhook', 'Shop', ...both])).toEqual(
      printed('"Shop" has a webhook: push.finished, credential.paused to https://other.example/'),
    )
    expect(secretOf(cli)).toBe(SECRET)
  })

  test('--secret new makes another one; a secret that was given is not printed', async () => {
    using cli = await withShop()
    const first = await cli.run(['app', 'webhook', 'Shop', '--url', URL, '--secret', SECRET])
    expect(first.stdout).not.toContain('whsec_')
    const second = await cli.run(['app', 'webhook', 'Shop', '--secret', 'new'])
    expect(second.stdout).toContain(`  ${secretOf(cli)}\n`)
    expect(secretOf(cli)).not.toBe(SECRET)
  })

  test('--remove takes it away', async () => {
    using cli = await withShop()
    await cli.run(['app', 'webhook', 'Shop', '--url', URL])
    expect(await cli.run(['app', 'webhook', 'Shop', '--remove'])).toEqual(printed('"Shop" has no webhook.'))
    expect(await cli.run(['app', 'webhook', 'Shop'])).toEqual(printed('"Shop" has no webhook.'))
    expect((await cli.run(['app', 'show', 'Shop'])).stdout).not.toContain('webhook')
  })

  const PRIVATE = 'The server sends to a private address only with --webhook-private.'
  const HTTP = 'The server sends by http only to a private address'
  for (const [url, alone, allowed] of [
    ['http://hooks.internal/', `${HTTP}, and there only with --webhook-private.`, `${HTTP}.`],
    ['http://ntfy.sh/topic', `${HTTP}, and there only with --webhook-private.`, `${HTTP}.`],
    ['https://10.0.0.1/', PRIVATE, null],
    ['http://127.1:8080/', PRIVATE, null],
    ['https://ntfy.sh/topic', null, null],
  ] as const) {
    test(`${url} is taken by app webhook and alert add, with a word on what the server needs for it`, async () => {
      using cli = await withShop()
      const notesOf = async (...argv: string[]) => {
        const { stdout } = await cli.run(argv)
        return stdout
          .split('\n')
          .filter((line) => line.startsWith('The server sends'))
          .join()
      }
      expect(await notesOf('app', 'webhook', 'Shop', '--url', url)).toBe(alone ?? '')
      expect(await notesOf('alert', 'add', 'ntfy', url)).toBe(alone ?? '')
      expect(sendingNote(url, false)).toBe(alone)
      expect(sendingNote(url, true)).toBe(allowed)
    })
  }

  const form = 'an https address without user and fragment, such as https://example.com/hooks'
  for (const [flags, sentence] of [
    [['--url', 'shop.example'], `--url: "shop.example" is not ${form}`],
    [['--url', 'http://8.8.8.8/'], '--url: "http://8.8.8.8/" is not https: http is for private addresses only'],
    [['--url', URL, '--events', 'push.done'], `--events: "push.done" is not one of ${ALL}`],
    [['--url', URL, '--events', ''], `--events: "" is not one of ${ALL}`],
    [
      ['--url', URL, '--secret', 'whsec_c2hvcnQ='],
      '--secret: the value is not new, or whsec_ and the base64 of 24 to 64 bytes',
    ],
    [['--remove', '--url', URL], "--remove can't be combined with --url, --events or --secret."],
  ] as const) {
    test(`refuses ${flags.join(' ')} and stores nothing`, async () => {
      using cli = await withShop()
      expect(await cli.run(['app', 'webhook', 'Shop', ...flags])).toEqual(refused(2, sentence))
      expect(existsSync(join(cli.data, 'key'))).toBe(false)
      expect(await cli.run(['app', 'webhook', 'Shop'])).toEqual(printed('"Shop" has no webhook.'))
    })
  }

  test('needs an address where there is none yet', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'webhook', 'Shop', '--events', 'device.gone'])).toEqual(
      refused(1, '"Shop" has no webhook yet: app webhook needs --url.'),
    )
  })
})
