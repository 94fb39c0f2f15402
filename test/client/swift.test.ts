import { beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { swiftLibrary } from '../../src/client/swift-library.ts'
import { findPage } from '../../src/manual/pages.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { drive, startClient } from './drive.ts'

const root = join(import.meta.dir, '../..')
/** `bun run clients` installs it here. */
const RUN = join(root, '.tools/clients/swift/run')
const inSwift = existsSync(RUN)
  ? { describe, why: '' }
  : { describe: describe.skip, why: ' (bun run clients installs the compiler, on Debian)' }

const TOKEN = '0a'.repeat(32)
const PICTURE = new Uint8Array(70)

const folder = directoryOfTests('bellhop-swift')

inSwift.describe(`the client library for iOS${inSwift.why}`, () => {
  const client = [RUN, folder, '/work/.build/debug/client']
  let groups = 0

  beforeAll(async () => {
    const place = { server: 'https://push.example.com', app: 'app_1' }
    for (const [name, text] of Object.entries(swiftLibrary.files(place))) write(name, text)
    appendFileSync(join(folder, 'Package.swift'), readFileSync(join(import.meta.dir, 'swift/targets.swift')))
    cpSync(join(import.meta.dir, 'swift'), join(folder, 'test'), { recursive: true })
    const swift = /^```swift\n(.*?)\n```$/gms
    const samples = Array.from((findPage('ios')?.text ?? '').matchAll(swift), ([, code = '']) => code)
    for (const [at, code] of samples.entries()) write(`test/manual/Sample${at}.swift`, code)
    cpSync(join(root, 'src/client/vectors.json'), join(folder, 'vectors.json'))
    const { exitCode, stdout, stderr } =
      await Bun.$`${RUN} ${folder} swift build --disable-sandbox --package-path /work`.nothrow().quiet()
    const said = `${stdout.toString()}${stderr.toString()}`
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: expect.not.stringMatching(/warning:/) })
  }, 300_000)

  function write(name: string, text: string) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }

  /** Runs the client and returns its output. `group`: a new app group by default. */
  async function run(words: readonly string[], group = newGroup()) {
    const { stdout, stderr } = await Bun.$`${client} ${words}`
      .env({ ...process.env, APP_GROUP: `/work/${group}` })
      .nothrow()
      .quiet()
    return { lines: stdout.toString().split('\n').slice(0, -1), stderr: stderr.toString() }
  }

  const newGroup = () => `group-${groups++}`
  const filesOf = (group: string) => join(group, 'Library/Application Support/bellhop')
  const left = (group: string) =>
    readdirSync(join(folder, filesOf(group))).filter((name) => name.startsWith('left-')).length

  /** An app group of a registered app. */
  function registered({ address, app, receipts = true }: { address: string; app: string; receipts?: boolean }) {
    const group = newGroup()
    const known = { token: TOKEN, body: { token: TOKEN, platform: '0' }, at: Date.now() }
    const kept = { server: { address, app }, receipts, state: { platform: '0', token: TOKEN, known } }
    write(join(filesOf(group), 'state.json'), JSON.stringify(kept))
    return group
  }

  async function sendOne(service: Service) {
    await service.put('/deviceToken', { token: TOKEN, platform: '0' })
    const { body } = await service.post('/push/one', { platform: '0', token: TOKEN, msg: 'Cake', sound: '', badge: '' })
    return String(body.id)
  }
  const countsOf = async (service: Service, push: string) => (await service.get(`/push/${push}`)).body

  test('holds each case of the contract', async () => {
    expect((await run(['vectors', '/work/vectors.json'])).lines).toEqual([expect.stringMatching(/^(\d+) of \1 hold$/)])
  }, 60_000)

  test('registers, reports, moves and leaves against a server', async () => {
    await using service = await startService()
    await drive(service, [...client, 'drive'], '0', [TOKEN, '0b'.repeat(32), 'bad4100'.padEnd(64, '0')])
  }, 120_000)

  test('refuses the secret in the place of the application ID', async () => {
    const { lines, stderr } = await run(['drive', 'http://127.0.0.1:1', 'bhs_secret'])
    expect(lines).toEqual([])
    expect(stderr).toContain(
      'This is the secret of an application. It belongs to your backend. Here goes the ID, app_…',
    )
  })

  test('keeps what happens while its state cannot be read, and does not replace it', async () => {
    await using service = await startService()
    const group = newGroup()
    const state = join(folder, filesOf(group), 'state.json')
    // A folder cannot be read as a file.
    mkdirSync(state, { recursive: true })
    await using app = startClient(
      ['env', `APP_GROUP=/work/${group}`, ...client, 'drive'],
      service.url,
      service.application.id,
    )
    expect((await app.take({ kind: 'token', token: TOKEN })).state).toBeNull()
    rmSync(state, { recursive: true })
    expect((await app.take(null)).state.known).toMatchObject({ token: TOKEN })
  })

  test('an app delivers each tap once, also the one that started it, and decides what is shown while it is open', async () => {
    await using service = await startService()
    const push = await sendOne(service)
    const { lines } = await run(['app', service.url, service.application.id, push])
    expect(lines).toEqual([
      'tap true - shop://cake ["link", "order"] 7',
      'tap true buy shop://cake ["link", "order"] 7',
      'message ["alert"]',
      'shown 27',
      'message ["alert"]',
      'shown 0',
      'shown 0',
      'message ["alert", "content-available"]',
      'fetched newData',
      'left newData ["p2", "news"]',
      'left newData ["p2"]',
    ])
    expect(await countsOf(service, push)).toMatchObject({ o: 1, received: 1, actions: { buy: 1 } })
    const device = { token: TOKEN, platform: '0', user: 'ann', tag: ['beta'], app_version: '1.1', badge: 3 }
    expect((await service.get('/deviceToken/all')).body).toMatchObject([device])
  }, 60_000)

  test('the extension attaches the picture, or shows the notification as it came', async () => {
    using pictures = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        if (url.endsWith('/gone')) return new Response('', { status: 404 })
        return new Response(PICTURE, {
          headers: { 'content-type': url.endsWith('/text') ? 'text/plain' : 'image/png' },
        })
      },
    })
    const at = pictures.url.href
    const shown = async (image: unknown) =>
      (await run(['extension', JSON.stringify({ aps: { alert: 'Cake' }, image })])).lines
    expect(await shown(`${at}cake`)).toEqual([`shown 2 [${PICTURE.length}]`])
    expect(await shown(`${at}cake.png?width=100`)).toEqual([`shown 2 [${PICTURE.length}]`])
    for (const image of [`${at}gone`, `${at}text`, 'http://127.0.0.1:1/', '', 7]) {
      expect(await shown(image)).toEqual(['shown 2 []'])
    }
  }, 60_000)

  test('the extension reports that a push arrived, if the app has turned it on', async () => {
    await using service = await startService()
    const push = await sendOne(service)
    const place = { address: service.url, app: service.application.id }
    const payload = JSON.stringify({ aps: { alert: 'Cake' }, bellhop: { push } })
    await run(['extension', payload], registered({ ...place, receipts: false }))
    expect(await countsOf(service, push)).toMatchObject({ received: 0 })
    const group = registered(place)
    for (const _ of [1, 2]) expect((await run(['extension', payload], group)).lines).toEqual(['shown 2 []'])
    expect(await countsOf(service, push)).toMatchObject({ received: 1 })
    expect(left(group)).toBe(0)
  }, 60_000)

  test('what the extension could not report is reported by the app', async () => {
    await using service = await startService()
    const push = await sendOne(service)
    const { id: app } = service.application
    const group = registered({ address: 'http://127.0.0.1:1', app })
    await run(['extension', JSON.stringify({ aps: { alert: 'Cake' }, bellhop: { push } })], group)
    expect(left(group)).toBe(1)
    await using opened = startClient(['env', `APP_GROUP=/work/${group}`, ...client, 'drive'], service.url, app)
    expect((await opened.take(null)).state.reports).toEqual([])
    expect(await countsOf(service, push)).toMatchObject({ received: 1 })
    expect(left(group)).toBe(0)
  }, 60_000)
})
