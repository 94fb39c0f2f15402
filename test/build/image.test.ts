import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { BASE_PACKAGES, findPackage } from '../../scripts/build/debian-packages.ts'
import type { DebianPackage } from '../../scripts/build/debian-packages.ts'
import { IMAGE_CONFIG, writeImage } from '../../scripts/build/image.ts'
import type { ImagePlatform } from '../../scripts/build/image.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'

const folder = directoryOfTests('bellhop-image-test')

const COMMIT = { hash: '1a2b3c4', date: '2026-11-27', atMs: 1_795_769_000_000 }

async function libc(architecture: 'amd64' | 'arm64'): Promise<string> {
  const root = join(folder, `libc-${architecture}`)
  for (const [path, text] of Object.entries({
    'DEBIAN/control': `Package: libc6\nVersion: 2.41-1\nArchitecture: ${architecture}\nMaintainer: Nobody\nDescription: C\n`,
    'etc/ld.so.conf.d/libc.conf': 'x',
    'usr/lib/any-linux-gnu/libc.so.6': `library for ${architecture}`,
    'usr/lib/any-linux-gnu/gconv/UTF-16.so': 'x',
    'usr/share/doc/libc6/copyright': 'LGPL',
    'usr/share/doc/libc6/changelog.gz': 'x',
    'usr/share/lintian/overrides/libc6': 'x',
  })) {
    await Bun.write(join(root, path), text)
  }
  const path = join(folder, `libc6_2.41-1_${architecture}.deb`)
  await $`chmod -R u=rwX,go=rX ${root} && dpkg-deb --root-owner-group --build ${root} ${path}`.quiet()
  return path
}

interface Index {
  readonly manifests: readonly {
    digest: string
    size: number
    platform?: { architecture: string }
    annotations?: object
  }[]
}

function blob(layout: string, digest: string): Buffer<ArrayBuffer> {
  const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
  expect(`sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`).toBe(digest)
  return bytes
}

const json = (layout: string, digest: string) => JSON.parse(blob(layout, digest).toString())

const missing = Bun.which('dpkg-deb') === null

describe.skipIf(missing)(`an image${missing ? ' (needs the program dpkg-deb)' : ''}`, () => {
  let platforms: readonly ImagePlatform[]
  let layout: string
  beforeAll(async () => {
    platforms = await Promise.all(
      (['amd64', 'arm64'] as const).map(async (architecture) => {
        const executable = join(folder, `bellhop-${architecture}`)
        writeFileSync(executable, `executable for ${architecture}`, { mode: 0o755 })
        return { architecture, executable, packages: [await libc(architecture)] }
      }),
    )
    layout = join(folder, 'here/image')
    await writeImage(layout, '0.1.0', COMMIT, platforms)
  })

  function imageIndex(): Index {
    const [named] = (JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as Index).manifests
    expect(named?.annotations).toEqual({ 'org.opencontainers.image.ref.name': '0.1.0' })
    return json(layout, named?.digest ?? '')
  }

  test('is one for each platform, with the same settings', () => {
    expect(JSON.parse(readFileSync(join(layout, 'oci-layout'), 'utf8'))).toEqual({ imageLayoutVersion: '1.0.0' })
    const index = imageIndex()
    expect(index.manifests.map(({ platform }) => platform)).toEqual([
      { architecture: 'amd64', os: 'linux' } as never,
      { architecture: 'arm64', os: 'linux' } as never,
    ])
    for (const { digest, size, platform } of index.manifests) {
      expect(blob(layout, digest).length).toBe(size)
      const { config, layers } = json(layout, digest)
      const image = json(layout, config.digest)
      expect(image).toMatchObject({ architecture: platform?.architecture, os: 'linux', config: IMAGE_CONFIG })
      expect(image.created).toBe('2026-11-27T08:43:20.000Z')
      const diffIds = layers.map((layer: { digest: string }) => {
        const tar = Bun.gunzipSync(blob(layout, layer.digest))
        return `sha256:${new Bun.CryptoHasher('sha256').update(tar).digest('hex')}`
      })
      expect(image.rootfs.diff_ids).toEqual(diffIds)
    }
  })

  test('has the library with its licence, the executable and a data folder of its user, and nothing else', async () => {
    const { layers } = json(layout, imageIndex().manifests[1]?.digest ?? '')
    const members: string[] = []
    for (const { digest } of layers) {
      const listed = await $`tar --list --verbose --numeric-owner --gzip < ${blob(layout, digest)}`
        .env({ ...process.env, TZ: 'UTC' })
        .text()
      members.push(
        ...listed
          .trim()
          .split('\n')
          .map((line) => line.replace(/^(\S+) (\S+) +\d+/, '$1 $2')),
      )
    }
    expect(members.filter((member) => !member.startsWith('d'))).toEqual([
      '-rw-r--r-- 0/0 1970-01-01 00:00 etc/group',
      '-rw-r--r-- 0/0 1970-01-01 00:00 etc/nsswitch.conf',
      '-rw-r--r-- 0/0 1970-01-01 00:00 etc/os-release',
      '-rw-r--r-- 0/0 1970-01-01 00:00 etc/passwd',
      'lrwxr-xr-x 0/0 1970-01-01 00:00 lib -> usr/lib',
      '-rw-r--r-- 0/0 1970-01-01 00:00 usr/lib/any-linux-gnu/libc.so.6',
      '-rw-r--r-- 0/0 1970-01-01 00:00 usr/share/doc/libc6/copyright',
      '-rw-r--r-- 0/0 1970-01-01 00:00 var/lib/dpkg/status.d/libc6',
      '-rwxr-xr-x 0/0 2026-11-27 08:43 usr/local/bin/bellhop',
    ])
    expect(members).toContain('drwx------ 65532/65532 1970-01-01 00:00 data/')
    expect(members).toContain('drwxrwxrwt 0/0 1970-01-01 00:00 tmp/')
  })

  test('has the same bytes wherever, whenever and with whatever umask it is made', async () => {
    const second = join(folder, 'elsewhere/image')
    const before = { umask: process.umask(0o077), zone: process.env['TZ'], options: process.env['TAR_OPTIONS'] }
    process.env['TZ'] = 'Pacific/Kiritimati'
    process.env['TAR_OPTIONS'] = '--format=pax'
    try {
      for (const { executable } of platforms) {
        utimesSync(executable, 0, 0)
        chmodSync(executable, 0o700)
      }
      await writeImage(second, '0.1.0', COMMIT, platforms)
    } finally {
      process.umask(before.umask)
      restore('TZ', before.zone)
      restore('TAR_OPTIONS', before.options)
    }
    expect(readFileSync(`${second}.tar`).equals(readFileSync(`${layout}.tar`))).toBe(true)
    const { stdout } = await $`diff -r ${layout} ${second}`.nothrow().quiet()
    expect(stdout.toString()).toBe('')
  })
})

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

test('the image is set up as the Dockerfile sets up its own', () => {
  const lines = readFileSync('scripts/docker/Dockerfile', 'utf8').split('\n')
  const { User, ExposedPorts, Env, Entrypoint, Cmd, Volumes, Healthcheck } = IMAGE_CONFIG
  const seconds = (nanoseconds: number): string => `${nanoseconds / 1e9}s`
  const times = `--interval=${seconds(Healthcheck.Interval)} --timeout=${seconds(Healthcheck.Timeout)} --start-period=5m`
  expect(Healthcheck.StartPeriod).toBe(300e9)
  const list = (words: readonly string[]): string => `[${words.map((word) => `"${word}"`).join(', ')}]`
  for (const line of [
    `USER ${User}`,
    ...Object.keys(ExposedPorts).map((port) => `EXPOSE ${port.replace('/tcp', '')}`),
    `ENV ${Env.filter((each) => !each.startsWith('PATH=')).join(' ')}`,
    `ENTRYPOINT ${list(Entrypoint)}`,
    `CMD ${list(Cmd)}`,
    ...Object.keys(Volumes).map((path) => `VOLUME ${path}`),
    `HEALTHCHECK ${times} --retries=${Healthcheck.Retries} CMD ${list(Healthcheck.Test.slice(1))}`,
  ]) {
    expect(lines).toContain(line)
  }
})

describe('a package of Debian', () => {
  const WANTED: DebianPackage = {
    name: 'libc6',
    version: '2.41-1',
    architecture: 'amd64',
    path: 'pool/main/g/glibc/libc6_2.41-1_amd64.deb',
    sha256: new Bun.CryptoHasher('sha256').update('package').digest('hex'),
  }

  test('is downloaded from the mirror into the folder once', async () => {
    const asked: string[] = []
    const mirror = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname)
        return new Response('package')
      },
    })
    try {
      const into = join(folder, 'downloaded')
      const found = { kind: 'found', path: join(into, 'libc6_2.41-1_amd64.deb') } as const
      expect(await findPackage(WANTED, into, mirror.url.origin)).toEqual(found)
      expect(await findPackage(WANTED, into, mirror.url.origin)).toEqual(found)
      expect(asked).toEqual([`/${WANTED.path}`])
    } finally {
      await mirror.stop(true)
    }
  })

  test('that the mirror has no more is missed, with what to do', async () => {
    const mirror = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 404 }) })
    const url = `${mirror.url.origin}/${WANTED.path}`
    try {
      expect(await findPackage(WANTED, join(folder, 'gone'), mirror.url.origin)).toEqual({
        kind: 'none',
        reason: `${url} is gone: Debian serves the newest version only. Pin that one, or use --packages with this one`,
      })
    } finally {
      await mirror.stop(true)
    }
    expect(await findPackage(WANTED, join(folder, 'gone'), mirror.url.origin)).toEqual({
      kind: 'none',
      reason: expect.stringContaining(`${url} could not be downloaded: `),
    })
    expect(existsSync(join(folder, 'gone'))).toBe(false)
  })

  test('is not taken where it is another one than it should be', async () => {
    const into = join(folder, 'other')
    mkdirSync(into)
    const path = join(into, 'libc6_2.41-1_amd64.deb')
    expect(await findPackage(WANTED, into, null)).toEqual({ kind: 'none', reason: `there is no ${path}` })
    writeFileSync(path, 'another')
    const other = new Bun.CryptoHasher('sha256').update('another').digest('hex')
    expect(await findPackage(WANTED, into, null)).toEqual({
      kind: 'none',
      reason: `${path} is not libc6 2.41-1: its SHA-256 is ${other}`,
    })
  })

  test('is pinned for both architectures', () => {
    const names = BASE_PACKAGES.map(({ name, architecture }) => `${name} ${architecture}`)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
    expect(names.filter((name) => name.endsWith('amd64')).length).toBe(names.length / 2)
    for (const { sha256 } of BASE_PACKAGES) expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  })
})
