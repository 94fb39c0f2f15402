import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installerFor, isReleaseAddress } from '../../scripts/build/installer.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'

const folder = directoryOfTests('bellhop-install-test')
const wgetrc = join(folder, 'wgetrc')
beforeAll(() => {
  // Readable by `nobody`.
  chmodSync(folder, 0o755)
  writeFileSync(wgetrc, 'waitretry = 0\n')
})

const SCRIPT = 'scripts/install.sh'
/** The installer's name for this machine. */
const TARGET = `linux-${process.arch}${existsSync('/lib64/ld-linux-x86-64.so.2') || existsSync('/lib/ld-linux-aarch64.so.1') ? '' : '-musl'}`
const NAME = `bellhop-0.1.0-${TARGET}`
const EXECUTABLE = '#!/bin/sh\necho "bellhop 0.1.0 (1a2b3c4), called with $*"\n'

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

type Files = Readonly<Record<string, string | (() => Response)>>

const RELEASE: Files = {
  SHA256SUMS: `${sha256(EXECUTABLE)}  ${NAME}\n${sha256('x')}  ${NAME}.cdx.json\n`,
  [NAME]: EXECUTABLE,
}

function serve(files: Files) {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const name = new URL(url).pathname.replace('/release/', '')
      asked.push(name)
      const file = files[name]
      if (file === undefined) return new Response('not here', { status: 404 })
      return typeof file === 'string' ? new Response(file) : file()
    },
  })
  return { url: `${server.url.origin}/release`, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

interface How {
  readonly shell?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly script?: string
}

async function install(args: readonly string[], { shell = ['sh'], env = {}, script = SCRIPT }: How = {}) {
  const child = Bun.spawn([...shell, script, ...args], {
    // wget retries without a pause.
    env: { PATH: process.env['PATH'], HOME: folder, WGETRC: wgetrc, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

/** A folder with only these programs. */
function only(name: string, ...programs: readonly string[]): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const program of programs) symlinkSync(Bun.which(program) ?? '', join(path, program))
  return path
}

const NEEDED = [
  'sh',
  'cat',
  'uname',
  'id',
  'grep',
  'wc',
  'cut',
  'mktemp',
  'mkdir',
  'mv',
  'rm',
  'chmod',
  'sha256sum',
  'ldd',
]

describe('install.sh', () => {
  test('says what it does, and installs what fits its checksum', async () => {
    await using release = serve(RELEASE)
    const to = join(folder, 'new/bin')
    const { exitCode, stdout, stderr } = await install(['--from', release.url, '--to', to])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      `Bellhop 0.1.0 for ${TARGET}`,
      `  from  ${release.url}/${NAME}`,
      `  to    ${to}/bellhop`,
      'Signature: not checked, this installer knows no key.',
      'Checksum: fits.',
      'Installed: bellhop 0.1.0 (1a2b3c4), called with --version',
      `Next: add ${to} to your PATH, and run: bellhop serve`,
      '',
    ])
    expect(readdirSync(to)).toEqual(['bellhop'])
    expect(Bun.spawnSync([join(to, 'bellhop'), 'x']).stdout.toString()).toContain('called with x')
    expect(release.asked).toEqual(['SHA256SUMS', NAME])

    const again = await install(['--from', `${release.url}/`, '--to', to])
    expect([again.exitCode, again.stdout]).toEqual([
      0,
      `Bellhop 0.1.0 for ${TARGET}\n  from  ${release.url}/${NAME}\n  is already installed: ${to}/bellhop\n`,
    ])
    expect(release.asked.slice(2)).toEqual(['SHA256SUMS'])
  })

  test('does the same with wget, and without being root in ~/.local/bin', async () => {
    await using release = serve(RELEASE)
    const home = join(folder, 'home')
    mkdirSync(home, { mode: 0o777 })
    chmodSync(home, 0o777)
    const path = only('with-wget', 'wget', ...NEEDED)
    const script = readable()
    const how = {
      shell: [...nobody(), '/bin/sh'],
      script,
      env: { PATH: path, HOME: home, BELLHOP_RELEASES: release.url },
    }
    const { exitCode, stdout, stderr } = await install([], how)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`Next: add ${home}/.local/bin to your PATH`)
    expect(readFileSync(join(home, '.local/bin/bellhop'), 'utf8')).toBe(EXECUTABLE)
  })

  test('changes nothing where the checksum is wrong', async () => {
    await using release = serve({ ...RELEASE, [NAME]: EXECUTABLE.replace('echo', 'cat /etc/passwd #') })
    const to = installed('wrong')
    const { exitCode, stdout, stderr } = await install(['--from', release.url, '--to', to])
    expect([exitCode, stderr]).toEqual([1, 'install: the checksum of the executable is wrong: nothing was installed\n'])
    expect(stdout).toContain(`  to    ${to}/bellhop, replacing the one that is there\n`)
    expectUntouched(to)
  })

  test.each(['curl', 'wget'])('changes nothing where a download by %s ends early', async (program) => {
    // Shorter than its Content-Length.
    const cut = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, request) {
          const [name = '', body = ''] = request.includes('/SHA256SUMS')
            ? ['sums', RELEASE['SHA256SUMS'] as string]
            : []
          const length = name === '' ? EXECUTABLE.length : body.length
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${name === '' ? EXECUTABLE.slice(0, 20) : body}`,
          )
          socket.end()
        },
      },
    })
    const to = installed(`cut-${program}`)
    try {
      const env = { PATH: only(`with-${program}-alone`, program, ...NEEDED) }
      const { exitCode, stderr } = await install(['--from', `http://127.0.0.1:${cut.port}`, '--to', to], { env })
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/^(curl: .+\n)?install: the executable could not be downloaded\n$/),
      ])
      expectUntouched(to)
    } finally {
      cut.stop(true)
    }
  })

  test('refuses a release without an executable for this machine, or with another version than wanted', async () => {
    await using release = serve({ SHA256SUMS: `${sha256('x')}  bellhop-0.1.0-plan9-x64\n` })
    const to = join(folder, 'refused')
    const missing = await install(['--from', release.url, '--to', to])
    expect([missing.exitCode, missing.stderr]).toEqual([1, `install: this release has no executable for ${TARGET}\n`])

    await using other = serve(RELEASE)
    const { exitCode, stderr } = await install(['--from', other.url, '--to', to, '--version', 'v0.2.0'])
    expect([exitCode, stderr]).toEqual([1, 'install: this release is 0.1.0, not 0.2.0\n'])

    await using nothing = serve({})
    const gone = await install(['--from', nothing.url, '--to', to])
    expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringContaining('/SHA256SUMS could not be downloaded\n')])
    expect(existsSync(to)).toBe(false)
  })

  test('needs curl or wget, and something that computes checksums', async () => {
    const args = ['--from', 'http://127.0.0.1:9', '--to', folder]
    const without = await install(args, { env: { PATH: only('no-client', ...NEEDED) } })
    expect([without.exitCode, without.stderr]).toEqual([1, 'install: this needs curl or wget\n'])
    const some = NEEDED.filter((name) => name !== 'sha256sum')
    const unchecked = await install(args, { env: { PATH: only('no-checksum', 'curl', ...some) } })
    expect([unchecked.exitCode, unchecked.stderr]).toEqual([1, 'install: this needs sha256sum, shasum or openssl\n'])
  })

  test('changes nothing in a dry run', async () => {
    await using release = serve(RELEASE)
    const to = join(folder, 'dry')
    const { exitCode, stdout } = await install(['--from', release.url, '--to', to, '--dry-run'])
    expect([exitCode, stdout.split('\n').at(-2)]).toEqual([0, 'Nothing was changed (--dry-run).'])
    expect(stdout).toContain(`  to    ${to}/bellhop\n`)
    expect([existsSync(to), release.asked]).toEqual([false, ['SHA256SUMS']])
  })

  test('refuses a folder that it may not write to before it downloads the executable', async () => {
    await using release = serve(RELEASE)
    const to = installed('read-only')
    chmodSync(to, 0o555)
    const how = { shell: [...nobody(), 'sh'], script: readable() }
    const { exitCode, stderr } = await install(['--from', release.url, '--to', to], how)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`install: ${to} cannot be written to: choose another folder with --to\n`),
    ])
    expectUntouched(to)
    expect(release.asked).toEqual(['SHA256SUMS'])
  })

  test('keeps what is there where the new one does not run', async () => {
    const broken = '#!/bin/sh\necho "libstdc++.so.6 is missing" >&2\necho more >&2\nexit 127\n'
    await using release = serve({ SHA256SUMS: `${sha256(broken)}  ${NAME}\n`, [NAME]: broken })
    const to = installed('broken')
    const { exitCode, stderr } = await install(['--from', release.url, '--to', to])
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^install: it does not run here[^:]*: libstdc\+\+\.so\.6 is missing\n$/),
    ])
    expectUntouched(to)
  })

  test('takes only https, or this machine', async () => {
    for (const url of [
      'http://example.com/release',
      'http://127.0.0.1:80@example.com/release',
      'http://127.0.0.1.example.com/release',
      'file:///etc',
      'https://example.com/$(id)',
      'https://example.com/a b',
    ]) {
      const { exitCode, stderr } = await install(['--from', url, '--dry-run'])
      const problem = `install: --from must start with https:// (http:// only on this machine): ${url}`
      expect([exitCode, stderr.split('\n')[0]]).toEqual([2, problem])
      expect(isReleaseAddress(url)).toBe(false)
    }
    for (const url of [
      'https://example.com/b/0.1.0',
      'http://localhost:8080/b',
      'http://[::1]:8080',
      'http://127.0.0.1',
    ]) {
      expect(isReleaseAddress(url)).toBe(true)
    }
  })

  test('refuses a wget that trusts every certificate', async () => {
    const path = only('trusting', ...NEEDED)
    const note = 'wget: note: TLS certificate validation not implemented'
    writeFileSync(join(path, 'wget'), `#!/bin/sh\necho "${note}" >&2\necho "${sha256(EXECUTABLE)}  ${NAME}"\n`, {
      mode: 0o755,
    })
    const { exitCode, stderr } = await install(['--from', 'https://127.0.0.1:9', '--dry-run'], { env: { PATH: path } })
    expect([exitCode, stderr]).toEqual([1, 'install: this wget does not check certificates: install curl\n'])
  })

  test('says what is wrong with how it was called', async () => {
    const none = await install([])
    expect([none.exitCode, none.stderr.split('\n')[0]]).toEqual([
      2,
      'install: --from is missing: where is the release?',
    ])
    const unknown = await install(['--force'])
    expect([unknown.exitCode, unknown.stderr.split('\n')[0]]).toEqual([2, 'install: unknown argument: --force'])
    const empty = await install(['--to'])
    expect([empty.exitCode, empty.stderr.split('\n')[0]]).toEqual([2, 'install: --to needs a value'])
    expect((await install(['--help'])).stdout).toStartWith('Usage: sh install.sh')
  })

  test('does nothing if it arrives in part', async () => {
    await using release = serve(RELEASE)
    const script = join(folder, 'part.sh')
    const text = readFileSync(SCRIPT, 'utf8')
    for (const length of [text.length / 3, text.length / 2, text.lastIndexOf('main "$@"')]) {
      writeFileSync(script, text.slice(0, length))
      await install(['--from', release.url, '--to', join(folder, 'part')], { script })
    }
    expect([release.asked, existsSync(join(folder, 'part'))]).toEqual([[], false])
  })
})

const unsigned = Bun.which('minisign') === null

describe.skipIf(unsigned)(`the signature of a release${unsigned ? ' (needs the program minisign)' : ''}`, () => {
  let key: string
  let signature: (sums: string, comment: string) => string
  let script: string
  beforeAll(() => {
    const files = { public: join(folder, 'key.pub'), secret: join(folder, 'key.sec') }
    Bun.spawnSync(['minisign', '-G', '-W', '-p', files.public, '-s', files.secret])
    key = readFileSync(files.public, 'utf8').split('\n')[1] ?? ''
    signature = (sums, comment) => {
      const path = join(folder, 'signed')
      writeFileSync(path, sums)
      Bun.spawnSync(['minisign', '-S', '-s', files.secret, '-m', path, '-t', comment])
      return readFileSync(`${path}.minisig`, 'utf8')
    }
    script = join(folder, 'signed.sh')
    writeFileSync(script, installerFor(readFileSync(SCRIPT, 'utf8'), '', key))
  })

  const SUMS = RELEASE['SHA256SUMS'] as string

  test('is checked with the key that the installer has', async () => {
    await using release = serve({ ...RELEASE, 'SHA256SUMS.minisig': signature(SUMS, 'bellhop 0.1.0 SHA256SUMS') })
    const to = join(folder, 'signed-bin')
    const { exitCode, stdout } = await install(['--from', release.url, '--to', to], { script })
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('\nSignature: valid.\nChecksum: fits.\nInstalled: '),
    ])

    const other = join(folder, 'unsigned-bin')
    const how = { script, env: { PATH: only('no-minisign', 'curl', ...NEEDED) } }
    const unchecked = await install(['--from', release.url, '--to', other], how)
    expect([unchecked.exitCode, unchecked.stdout]).toEqual([
      0,
      expect.stringContaining('\nSignature: not checked, minisign is not installed.\n'),
    ])
    const asked = await install(['--from', release.url, '--to', installed('asked'), '--key', key], how)
    expect([asked.exitCode, asked.stderr]).toEqual([1, 'install: --key needs the program minisign\n'])
  })

  test.each([
    ['is missing', () => ({}), /install: the signature could not be downloaded\n$/],
    [
      'is of other checksums',
      () => ({ 'SHA256SUMS.minisig': signature('other', 'bellhop 0.1.0 SHA256SUMS') }),
      /the signature does not fit/,
    ],
    [
      'is of another release',
      () => ({ 'SHA256SUMS.minisig': signature(SUMS, 'bellhop 0.0.9 SHA256SUMS') }),
      /for something else: bellhop 0\.0\.9 SHA256SUMS/,
    ],
    [
      'is of an executable',
      () => ({ 'SHA256SUMS.minisig': signature(SUMS, `bellhop 0.1.0 ${TARGET}`) }),
      /for something else: bellhop 0\.1\.0 linux/,
    ],
  ] as const)('changes nothing where it %s', async (what, files, problem) => {
    await using release = serve({ ...RELEASE, ...files() })
    const to = installed(what.replaceAll(' ', '-'))
    const { exitCode, stderr } = await install(['--from', release.url, '--to', to], { script })
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(problem)])
    expectUntouched(to)
    expect(release.asked).toEqual(['SHA256SUMS', 'SHA256SUMS.minisig'])
  })
})

test('the installer of a release knows its address and its key', () => {
  const text = installerFor(readFileSync(SCRIPT, 'utf8'), 'https://example.com/b/', 'RWkey')
  expect(text).toContain("\nRELEASES='https://example.com/b'\nRELEASE_KEY='RWkey'\n")
})

const unchecked = Bun.which('shellcheck') === null

test.skipIf(unchecked)(`shellcheck finds nothing${unchecked ? ' (needs the program shellcheck)' : ''}`, () => {
  const { exitCode, stdout } = Bun.spawnSync(['shellcheck', '-s', 'sh', SCRIPT])
  expect([exitCode, stdout.toString()]).toEqual([0, ''])
})

/** A folder with another Bellhop. */
function installed(name: string): string {
  const to = join(folder, `bin-${name}`)
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'bellhop'), 'the old one')
  return to
}

function expectUntouched(to: string): void {
  expect([readdirSync(to), readFileSync(join(to, 'bellhop'), 'utf8')]).toEqual([['bellhop'], 'the old one'])
}

/** A user who is subject to file modes. */
function nobody(): readonly string[] {
  return process.getuid?.() === 0 ? ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
}

/** The script, readable by `nobody`. */
function readable(): string {
  const path = join(folder, 'install.sh')
  writeFileSync(path, readFileSync(SCRIPT, 'utf8'))
  return path
}
