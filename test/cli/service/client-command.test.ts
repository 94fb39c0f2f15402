import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIBRARIES } from '../../../src/client/libraries.ts'
import { RELEASE } from '../../../src/version.ts'
import { commandLine, refused } from '../command-line.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'

const APP = 'app_abcdefghijkl2345'
const URL = ['--url', 'https://push.example.com']

const line = commandLine()
afterAll(() => line[Symbol.dispose]())
const folder = directoryOfTests('bellhop-client')

describe('bellhop client', () => {
  test.each(Object.keys(LIBRARIES))('writes the library for %s, and says what the app writes', async (kind) => {
    const to = join(folder, kind)
    const { exitCode, stdout } = await line.run(['client', kind, APP, ...URL, '--to', to])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('Wrote the library:') })
    const paths = Array.from(stdout.matchAll(/^ {2}(\/.*)$/gm), ([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(3)
    const texts = paths.map((path) => readFileSync(path, 'utf8'))
    // Written by the app, or for it.
    expect([stdout, ...texts].some((text) => text.includes(APP) && text.includes('https://push.example.com'))).toBe(
      true,
    )
    expect(texts.filter((text) => text.includes(`${kind}/${RELEASE}`))).not.toEqual([])
    expect(texts.filter((text) => text.includes(`${kind}/0.0.0`))).toEqual([])
  })

  test('writes a package for browsers that connects to the server by itself', async () => {
    const to = join(folder, 'package')
    await line.run(['client', 'web', APP, ...URL, '--to', to])
    const manifest = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'))
    for (const path of Object.values<string>(manifest.exports['.'])) expect(existsSync(join(to, path))).toBe(true)
    const { connect } = await import(join(to, 'index.js'))
    Object.assign(globalThis, { location: { href: 'https://shop.example/' } })
    expect(Object.keys(connect())).toEqual(
      expect.arrayContaining(['register', 'unregister', 'login', 'logout', 'setTags', 'onMessage', 'onOpen']),
    )
    Reflect.deleteProperty(globalThis, 'location')
  })

  test('replaces files that differ only when it is told to', async () => {
    const to = join(folder, 'again')
    await line.run(['client', 'web', APP, ...URL, '--to', to])
    expect((await line.run(['client', 'web', APP, ...URL, '--to', to])).exitCode).toBe(0)
    writeFileSync(join(to, 'index.js'), '// ours\n')
    expect(await line.run(['client', 'web', APP, ...URL, '--to', to])).toEqual(
      refused(
        1,
        `These files are there and differ: ${join(to, 'index.js')}. Replace them with --force, or write to another folder with --to.`,
      ),
    )
    expect(readFileSync(join(to, 'index.js'), 'utf8')).toBe('// ours\n')
    expect((await line.run(['client', 'web', APP, ...URL, '--to', to, '--force'])).exitCode).toBe(0)
    expect(readFileSync(join(to, 'index.js'), 'utf8')).toContain(APP)
  })

  test('says all that is wrong, and refuses the secret', async () => {
    expect(await line.run(['client', 'kotlim', 'bhs_secret'])).toMatchObject({
      exitCode: 2,
      stderr: [
        'bellhop: There is no client library "kotlim": web, expo, kotlin, swift, flutter. Did you mean kotlin?',
        'bellhop: This is the secret of an application. It belongs to your backend. Here goes the ID, app_…',
        'bellhop: --url must be an http or https origin without a path, such as https://push.example.com: where apps reach the server.',
        '',
      ].join('\n'),
    })
    for (const id of [
      'shop',
      "app_abcdefghijkl234'",
      'app_abcdefghijkl234',
      `${APP}a`,
      'app_0123456789abcdef',
      APP.toUpperCase(),
    ]) {
      expect(await line.run(['client', 'web', id, ...URL])).toEqual(
        refused(2, `"${id}" is not an application ID, app_ and 16 letters and digits: bellhop app list shows them.`),
      )
    }
  })

  test('writes into a folder, not a file', async () => {
    const to = join(folder, 'a-file')
    writeFileSync(to, 'ours')
    expect(await line.run(['client', 'web', APP, ...URL, '--to', to, '--force'])).toEqual(
      refused(1, `${to} is a file: name a folder with --to, which need not exist.`),
    )
    expect(readFileSync(to, 'utf8')).toBe('ours')
  })

  test('takes the address from BELLHOP_PUBLIC_URL', async () => {
    const to = join(folder, 'env')
    const { exitCode } = await line.run(['client', 'web', APP, '--to', to], {
      BELLHOP_PUBLIC_URL: 'https://other.test',
    })
    expect(exitCode).toBe(0)
    expect(readFileSync(join(to, 'index.js'), 'utf8')).toContain("home: 'https://other.test/'")
  })
})
