import { describe, expect, test } from 'bun:test'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { VAPID_SUBJECT } from '../../../src/application/vapid.ts'
import type { VapidCredential } from '../../../src/application/vapid.ts'
import { keyOf, openShop, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const WEBPUSH = ['app', 'webpush', 'Shop']
const SUBJECT = ['--subject', 'mailto:push@shop.example']
/** RFC 8291, appendix A: the sender's keys. */
const PRIVATE = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
const PUBLIC = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'

function stored(cli: CommandLine): { credential: VapidCredential | null; createdAt: number | undefined } {
  using shop = openShop(cli)
  const credentials = createCredentialStore({ ...shop, key: keyOf(cli) })
  return {
    credential: credentials.credentialOf(shop.application, 'webpush'),
    createdAt: credentials.summaries(shop.application)[0]?.createdAt,
  }
}

async function keyAfter(cli: CommandLine, more: readonly string[]): Promise<string> {
  const { stdout } = await cli.run([...WEBPUSH, ...more, '--json'])
  return (JSON.parse(stdout) as { publicKey: string }).publicKey
}

describe('app webpush', () => {
  test('makes a key, sealed, and prints the public one', async () => {
    using cli = await withShop()
    const { stdout, stderr, exitCode } = await cli.run([...WEBPUSH, ...SUBJECT])
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    const { credential } = stored(cli)
    expect(credential).toEqual({
      kind: 'vapid',
      publicKey: expect.stringMatching(/^B[\w-]{86}$/),
      privateKey: expect.stringContaining('-----BEGIN PRIVATE KEY-----'),
      subject: 'mailto:push@shop.example',
    })
    expect(stdout.split('\n')).toEqual([
      '"Shop" sends web push with this public key, for mailto:push@shop.example:',
      '',
      `  ${credential?.publicKey}`,
      '',
      'A page subscribes with it: pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: "…" }).',
      expect.stringMatching(/^One that does is at \/webpush\/app_\w+ of the public API\.$/),
      `Credentials are sealed with the new key ${cli.data}/key: keep a copy of it, separate from the database.`,
      expect.stringMatching(/^Check it with: bellhop doctor app_\w+$/),
      '',
    ])
  })

  test('of an application on the simulator says that browsers alone are reached for real', async () => {
    using cli = await withShop()
    await cli.run(['app', 'simulate', 'Shop'])
    const { stdout } = await cli.run([...WEBPUSH, ...SUBJECT])
    expect(stdout).toContain('\nIts phones are still simulated; browsers get real pushes.\n')
    expect((await cli.run(['app', 'list'])).stdout).toMatch(/ simulator, web push +Shop\n$/)
    await cli.run(['app', 'simulate', 'Shop', '--off'])
    expect((await cli.run(['app', 'simulate', 'Shop'])).stderr).toContain(
      'devices whose tokens it does not like would leave the audience. Browsers are not affected. Add --yes',
    )
  })

  test('keeps the key that is there, and with nothing changed all of it', async () => {
    using cli = await withShop()
    const first = await keyAfter(cli, SUBJECT)
    const { createdAt } = stored(cli)
    cli.clock.advance(1000)
    expect(await keyAfter(cli, [])).toBe(first)
    expect(stored(cli).createdAt).toBe(createdAt ?? 0)
    expect(await keyAfter(cli, ['--subject', 'https://shop.example/contact'])).toBe(first)
    expect(stored(cli).credential).toMatchObject({ publicKey: first, subject: 'https://shop.example/contact' })
  })

  test('makes another with --new, and says what that ends', async () => {
    using cli = await withShop()
    const first = await keyAfter(cli, SUBJECT)
    const { stdout } = await cli.run([...WEBPUSH, '--new'])
    expect(stdout).toContain(
      '\nThis key is different from the previous one: browsers subscribed with that one must subscribe again.\n',
    )
    expect(stored(cli).credential?.publicKey).not.toBe(first)
  })

  test('imports the key of another service', async () => {
    using cli = await withShop()
    const file = cli.file('vapid.json', JSON.stringify({ publicKey: PUBLIC, privateKey: PRIVATE }))
    expect(await keyAfter(cli, [...SUBJECT, '--key', file])).toBe(PUBLIC)
  })

  test('is listed with the others, without its private key', async () => {
    using cli = await withShop()
    const publicKey = await keyAfter(cli, SUBJECT)
    const { stdout } = await cli.run(['app', 'show', 'Shop'])
    expect(stdout).toMatch(new RegExp(`^ +web push +public key ${publicKey}, mailto:push@shop.example$`, 'm'))
    const json = JSON.parse((await cli.run(['app', 'show', 'Shop', '--json'])).stdout) as { credentials: object[] }
    expect(json.credentials).toEqual([
      {
        provider: 'webpush',
        kind: 'vapid',
        publicKey,
        subject: 'mailto:push@shop.example',
        createdAt: expect.any(String),
      },
    ])
  })

  test.each([
    ['without a subject', [], 'app webpush needs --subject mailto:… or --subject https://….'],
    ['with two wishes', [...SUBJECT, '--new', '--key', 'vapid.pem'], "--key and --new can't be combined."],
    ...['mailto:push@localhost', 'https://10.0.0.7', 'mailto:push@shop.local'].map(
      (subject) =>
        [`for ${subject}`, ['--subject', subject], `--subject: "${subject}" is not ${VAPID_SUBJECT}`] as const,
    ),
  ] as const)('refuses to run %s', async (_, more, problem) => {
    using cli = await withShop()
    const { stderr, exitCode } = await cli.run([...WEBPUSH, ...more])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(problem)
  })

  test('refuses a key that is none, and then stores nothing', async () => {
    using cli = await withShop()
    const { stderr, exitCode } = await cli.run([...WEBPUSH, ...SUBJECT, '--key', cli.file('vapid.pem', 'no key')])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('The key is neither a PEM private key nor 32 bytes in base64url')
    const { stdout } = await cli.run(['app', 'show', 'Shop', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ credentials: [] })
  })
})
