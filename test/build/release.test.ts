import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packages from '../../package.json' with { type: 'json' }
import { fetchRuntime, findRuntime } from '../../scripts/build/runtimes.ts'
import { BUN_VERSION, RELEASE_TARGETS } from '../../scripts/build/targets.ts'
import type { ReleaseTarget } from '../../scripts/build/targets.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'

const folder = directoryOfTests('bellhop-release-test')

const TARGET: ReleaseTarget = {
  name: 'linux-arm64',
  runtimePackage: '@oven/bun-linux-aarch64',
  runtimeSha256: new Bun.CryptoHasher('sha256').update('runtime').digest('hex'),
  header: 'ELF arm64 /lib/ld-linux-aarch64.so.1',
}

function put(where: string, content: string): string {
  const path = join(folder, where, TARGET.runtimePackage, 'bin/bun')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

describe('the runtime of a target', () => {
  test('is taken from a folder that has it', async () => {
    const path = put('there', 'runtime')
    expect(await findRuntime(TARGET, join(folder, 'there'))).toEqual({ kind: 'found', path })
  })

  test('is not taken where it is another one than it should be', async () => {
    const path = put('other', 'runtime, and something else')
    const other = new Bun.CryptoHasher('sha256').update('runtime, and something else').digest('hex')
    expect(await findRuntime(TARGET, join(folder, 'other'))).toEqual({
      kind: 'none',
      reason: `${path} is not that of Bun ${BUN_VERSION}: its SHA-256 is ${other}`,
    })
  })

  test('that is installed already is not fetched, and is held against its pin all the same', async () => {
    const path = put('installed/node_modules', 'runtime')
    expect(await fetchRuntime(TARGET, join(folder, 'installed'), {})).toEqual({ kind: 'found', path })
    put('installed/node_modules', 'runtime, and something else')
    expect(await fetchRuntime(TARGET, join(folder, 'installed'), {})).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining(`is not that of Bun ${BUN_VERSION}`),
    })
  })

  test('that the registry does not give is missed, with the reason', async () => {
    const nobody = {
      BUN_CONFIG_HTTP_RETRY_COUNT: '0',
      BUN_CONFIG_REGISTRY: 'http://127.0.0.1:9/',
      BUN_INSTALL_CACHE_DIR: join(folder, 'cache'),
    }
    const env = { PATH: process.env['PATH'], HOME: folder, ...nobody }
    const found = await fetchRuntime(TARGET, join(folder, 'empty'), env)
    expect(found).toEqual({
      kind: 'none',
      reason: expect.stringMatching(
        /^@oven\/bun-linux-aarch64@[\d.]+ could not be installed: ConnectionRefused downloading package manifest/,
      ),
    })
  })
})

describe('scripts/release', () => {
  function release(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'scripts/release.ts', ...args])
    return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
  }

  test('ends with 3 where there is no runtime, and names the target and the reason', () => {
    const empty = join(folder, 'nothing')
    const path = join(empty, '@oven/bun-linux-x64-musl/bin/bun')
    const { exitCode, stderr } = release('--target', 'linux-x64-musl', '--runtimes', empty)
    expect([exitCode, stderr]).toEqual([3, `release: no executable for linux-x64-musl: there is no ${path}\n`])
  })

  test('ends with 2 where it is not asked for rightly', () => {
    const unknown = release('--target', 'plan9')
    expect([unknown.exitCode, unknown.stderr.split('\n')[0]]).toEqual([2, 'release: "plan9" is not a target'])
    const surplus = release('--version')
    expect([surplus.exitCode, surplus.stderr.split('\n')[0]]).toEqual([2, expect.stringContaining("'--version'")])
  })

  test('refuses a key or an address that is none, before anything is compiled', () => {
    const key = release('--release-key', 'RWshort')
    expect([key.exitCode, key.stderr.split('\n')[0]]).toEqual([
      2,
      'release: --release-key: not a public key of minisign',
    ])
    const both = release('--sign', 'release.key', '--release-key', `RW${'A'.repeat(54)}`)
    expect([both.exitCode, both.stderr.split('\n')[0]]).toEqual([
      2,
      "release: --release-key can't be combined with --sign",
    ])
    const address = release('--base-url', 'http://example.com/bellhop')
    expect([address.exitCode, address.stderr.split('\n')[0]]).toEqual([
      2,
      'release: --base-url: "http://example.com/bellhop" must start with https:// and have no spaces, quotes, "@", "?" or "#"',
    ])
  })

  test('names every target in its help', () => {
    const { exitCode, stdout } = release('--help')
    expect(exitCode).toBe(0)
    for (const { name } of RELEASE_TARGETS) expect(stdout).toContain(name)
  })
})

test('one version of Bun is installed, compiles, is inside, and has its licence told', async () => {
  const wanted = async (path: string, pattern: RegExp) => pattern.exec(await Bun.file(path).text())?.[1]
  expect(await wanted('scripts/bun', /^WANTED=(.+)$/m)).toBe(BUN_VERSION)
  expect(await wanted('scripts/docker/Dockerfile', /^ARG BUN_VERSION=(.+)$/m)).toBe(BUN_VERSION)
  expect(packages.engines.bun).toBe(`>=${BUN_VERSION}`)
  expect(packages.devDependencies['bun-types']).toBe(BUN_VERSION)
})
