import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Glob } from 'bun'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startService } from '../support/service.ts'
import { drive } from './drive.ts'

const root = join(import.meta.dir, '../..')
const library = join(root, 'src/client/flutter')
/** `bun run clients` installs it here, for 32-bit x86. */
const DART = join(root, '.tools/clients/node_modules/sass-embedded-linux-ia32/dart-sass/src/dart')
const QEMU = Bun.which('qemu-i386-static')
const isThere = QEMU !== null && existsSync('/lib/ld-linux.so.2') && existsSync(DART)
const inDart = isThere
  ? { describe, why: '' }
  : { describe: describe.skip, why: ' (bun run clients installs the compiler)' }

test('the client library for Flutter needs a plugin only in the file that is for it', () => {
  const needs = Array.from(new Glob('lib/**/*.dart').scanSync(library), (path) => {
    const packages = readFileSync(join(library, path), 'utf8').matchAll(/^(?:im|ex)port 'package:(\w+)/gm)
    return [path, [...new Set(Array.from(packages, ([, name]) => name))]] as const
  })
  expect(Object.fromEntries(needs)).toEqual({
    'lib/bellhop.dart': ['flutter', 'path_provider'],
    'lib/firebase.dart': ['firebase_messaging', 'flutter'],
    'lib/push.dart': ['flutter', 'push'],
    'lib/src/contract.dart': [],
    'lib/src/keeper.dart': [],
    'lib/src/push_source.dart': [],
  })
})

const folder = directoryOfTests('bellhop-flutter')

inDart.describe(`the client library for Flutter${inDart.why}`, () => {
  const program = join(folder, 'main.dill')
  const dart = (...words: readonly string[]) => [QEMU ?? '', DART, '--disable-dart-dev', ...words]
  /** The output of a program of apps.dart. `home`: the app's folder. */
  const app = async (name: string, home = name) => {
    mkdirSync(join(folder, home), { recursive: true })
    const { stdout, stderr } = await Bun.$`${dart(program, name, join(folder, home))}`.nothrow().quiet()
    return (stdout.toString() + stderr.toString()).trimEnd().split('\n')
  }

  beforeAll(async () => {
    const stubs = ['flutter', 'path_provider', 'firebase_messaging', 'push']
    const places = [['bellhop', library], ...stubs.map((name) => [name, join(import.meta.dir, 'flutter/stubs', name)])]
    const packages = places.map(([name, path = '']) => ({
      name,
      rootUri: pathToFileURL(`${path}/`).href,
      packageUri: 'lib/',
      // As in its pubspec.yaml.
      languageVersion: '3.3',
    }))
    const config = join(folder, 'package_config.json')
    writeFileSync(config, JSON.stringify({ configVersion: 2, packages }))
    const compile = dart(`--packages=${config}`, `--snapshot=${program}`, '--snapshot-kind=kernel')
    const { stdout, stderr } = await Bun.$`${compile} ${join(import.meta.dir, 'flutter/main.dart')}`.nothrow().quiet()
    expect(stdout.toString() + stderr.toString()).toBe('')
  }, 300_000)

  test('holds each case of the contract', async () => {
    const { exitCode, stdout } = await Bun.$`${dart(program, 'vectors', join(root, 'src/client/vectors.json'))}`
      .nothrow()
      .quiet()
    expect({ exitCode, stdout: stdout.toString() }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^(\d+) of \1 hold\n$/),
    })
  }, 60_000)

  test('registers, reports, moves and leaves against a server', async () => {
    await using service = await startService()
    await drive(service, dart(program, 'drive'), '1', ['android-1', 'android-2', 'unregistered:1'])
  }, 120_000)

  test('registers an Android phone, hears each tap once, and keeps its state until the next launch', async () => {
    expect(await app('android')).toEqual([
      'shows in the foreground: true',
      '/deviceToken {"user":"ann","user_proof":"6fa7","locale":"de-AT","token":"fcm-1","platform":"1"}',
      '/stats {"platform":"1","token":"fcm-1","id":"p1","event":"opened"}',
      'tap 0 p1 shop://p1 {"push":"p1"}',
      'tap 1 p2 shop://p2 {"push":"p2"}',
      '/stats {"platform":"1","token":"fcm-1","id":"p2","event":"opened"}',
      'message Cake It is ready. shop://p3',
      '/stats {"platform":"1","token":"fcm-1","id":"p3","event":"received"}',
      'tap 1 null null none of ours',
      'withdraw t1 true false',
      '/deviceToken {"user":"ann","user_proof":"6fa7","locale":"de-AT","token":"fcm-2","platform":"1","replaces":"fcm-1"}',
      '/deviceToken {"user":"ann","user_proof":"6fa7","locale":"de-AT","tag":["beta"],"token":"fcm-2","platform":"1"}',
      '/deviceToken {"token":"fcm-2","platform":"1","user":""}',
      '/deviceToken {"locale":"de-AT","tag":["beta"],"user":"bob","token":"fcm-2","platform":"1"}',
      '/deviceToken {"token":"fcm-2","platform":"1","user":""}',
      '/deviceToken/del {"token":"fcm-2","platform":"1"}',
      '/deviceToken {"locale":"de-AT","tag":["beta"],"token":"fcm-1","platform":"1"}',
      'may show: true',
    ])
    expect(await app('android-again', 'android')).toEqual([
      'shows in the foreground: true',
      '/deviceToken {"locale":"de-AT","tag":["gamma"],"token":"fcm-1","platform":"1"}',
    ])
  }, 60_000)

  const IPHONE = '/deviceToken {"locale":"de-AT","fcm_platform":"ios","token":"fcm-1","platform":"1"}'
  test.each([
    [
      'registers an installation ID in place of a token',
      'installation-ids',
      [
        'shows in the foreground: true',
        '/deviceToken {"locale":"de-AT","token":"ctmBeCwtQDuDsClbyr6d3z","platform":"1"}',
      ],
    ],
    [
      'registers an iPhone behind FCM once Apple has given a token',
      'iphone',
      ['shows in the foreground: false', IPHONE],
    ],
    [
      'asks again when the app is resumed, if Apple did not answer in ten seconds',
      'iphone-without-apple',
      ['shows in the foreground: true', 'resumed', IPHONE],
    ],
    [
      'registers the token of APNs if it is told to, and none of FCM with it',
      'iphone-direct',
      [
        'shows in the foreground: true',
        '/deviceToken {"locale":"de-AT","token":"apns-1","platform":"0"}',
        '/deviceToken {"locale":"de-AT","tag":["beta"],"token":"apns-1","platform":"0"}',
      ],
    ],
    [
      'registers an iPhone without Firebase, and hears its taps',
      'push-iphone',
      [
        'tap p1 null aps bellhop',
        '/deviceToken {"locale":"de-AT","token":"apns-1","platform":"0"}',
        '/stats {"platform":"0","token":"apns-1","id":"p1","event":"opened"}',
        '/deviceToken {"locale":"de-AT","token":"apns-2","platform":"0","replaces":"apns-1"}',
        'message Cake shop://p3',
        'tap p2 shop://p2 bellhop link',
        '/stats {"platform":"0","token":"apns-2","id":"p2","event":"opened"}',
      ],
    ],
    [
      'refuses the secret',
      'secret',
      ['This is the secret of an application. It belongs to your backend. Here goes the ID, app_…'],
    ],
  ])(
    '%s',
    async (_, name, lines) => {
      expect(await app(name)).toEqual(lines)
    },
    60_000,
  )
})
