import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programPath } from '../../../src/cli/service/systemd-command.ts'
import { commandLine } from '../command-line.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'

const line = commandLine()
afterAll(() => line[Symbol.dispose]())

/** Without comments; complaints are in `stderr`. */
async function unit(...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await line.run(['systemd', ...flags])
  return { exitCode, stdout, stderr, lines: stdout.split('\n').filter((each) => each !== '' && !each.startsWith('#')) }
}

async function lineOf(directive: string, ...flags: readonly string[]): Promise<readonly string[]> {
  return (await unit(...flags)).lines.filter((each) => each.startsWith(`${directive}=`))
}

describe('the unit', () => {
  test('starts serve on a directory that systemd makes, as a user that systemd makes', async () => {
    const { exitCode, lines } = await unit()
    expect(exitCode).toBe(0)
    expect(lines).toContain('ExecStart=/usr/local/bin/bellhop serve --data /var/lib/bellhop')
    for (const each of ['DynamicUser=yes', 'StateDirectory=bellhop', 'StateDirectoryMode=0700', 'UMask=0077']) {
      expect(lines).toContain(each)
    }
    expect(lines.filter((each) => /^(User|ReadWritePaths|AmbientCapabilities)=/.test(each))).toEqual([])
  })

  test('takes nothing from the environment, which the service will not have', async () => {
    const { stdout } = await line.run(['systemd'], { BELLHOP_DATA: '/elsewhere', BELLHOP_DRAIN_SECONDS: '99' })
    expect(stdout).toContain('serve --data /var/lib/bellhop\n')
    expect(stdout).toContain('TimeoutStopSec=40\n')
  })

  test('is told when the service is ready, watches over it, and starts it again unless its settings are wrong', async () => {
    const { lines } = await unit()
    for (const each of [
      'Type=notify',
      'WatchdogSec=60',
      'Restart=always',
      'RestartPreventExitStatus=2',
      'StartLimitIntervalSec=0',
      'EnvironmentFile=-/etc/bellhop/env',
      'LimitNOFILE=65536',
    ]) {
      expect(lines).toContain(each)
    }
  })

  test('confines it', async () => {
    const { lines } = await unit()
    for (const each of [
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'PrivateTmp=yes',
      'PrivateDevices=yes',
      'ProtectKernelTunables=yes',
      'ProtectKernelModules=yes',
      'ProtectKernelLogs=yes',
      'ProtectControlGroups=yes',
      'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
      'RestrictNamespaces=yes',
      'LockPersonality=yes',
      'SystemCallArchitectures=native',
      'SystemCallFilter=@system-service',
    ]) {
      expect(lines).toContain(each)
    }
    expect(lines).toContain('MemoryDenyWriteExecute=no')
  })

  test('leaves a stop the whole drain time', async () => {
    expect(await lineOf('TimeoutStopSec')).toEqual(['TimeoutStopSec=40'])
    expect(await lineOf('TimeoutStopSec', '--drain-seconds', '120')).toEqual(['TimeoutStopSec=130'])
  })

  test('gives the right to a port below 1024 only where one is asked for', async () => {
    const { lines } = await unit('--listen', '0.0.0.0:443', '--trusted-proxies', '10.0.0.1')
    expect(lines).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE')
    expect(lines).toContain('CapabilityBoundingSet=CAP_NET_BIND_SERVICE')
    // A capability would count only in that namespace.
    expect(lines).not.toContain('PrivateUsers=yes')
  })

  test('hands over the files of TLS, which only root can read', async () => {
    const { lines } = await unit('--tls-cert', '/etc/tls/50%.pem', '--tls-key', '/etc/tls/key.pem')
    expect(lines).toContain('LoadCredential=tls-cert:/etc/tls/50%%.pem')
    expect(lines).toContain('LoadCredential=tls-key:/etc/tls/key.pem')
    const flags = '--tls-cert ${CREDENTIALS_DIRECTORY}/tls-cert --tls-key ${CREDENTIALS_DIRECTORY}/tls-key'
    expect(lines).toContain(`ExecStart=/usr/local/bin/bellhop serve --data /var/lib/bellhop ${flags}`)
  })

  test('hands on the other flags of serve, so that systemd reads the words that were given', async () => {
    const flags = [
      '--compat',
      '--header-prefix',
      'ACME',
      '--header-prefix',
      'SHOP',
      '--gateway-ca',
      '/etc/a "b" %i $HOME.pem',
    ]
    expect(await lineOf('ExecStart', ...flags)).toEqual([
      String.raw`ExecStart=/usr/local/bin/bellhop serve --data /var/lib/bellhop --gateway-ca "/etc/a \"b\" %%i $$HOME.pem" --compat --header-prefix ACME,SHOP`,
    ])
  })

  test('may have another user, and directories of that user’s', async () => {
    const { lines, stdout } = await unit(
      '--user',
      'push',
      '--data',
      '/srv/push',
      '--backup',
      '/var/lib/bellhop-backups',
    )
    expect(lines).toContain('User=push')
    expect(lines).toContain('ReadWritePaths=/srv/push')
    expect(lines).toContain('StateDirectory=bellhop-backups')
    expect(lines).not.toContain('DynamicUser=yes')
    expect(stdout).toContain(
      '#   useradd --system --shell /usr/sbin/nologin push\n#   install -d -m 700 -o push /srv/push\n',
    )
  })

  test('says what else is worth a thought on standard error', async () => {
    const { exitCode, stderr } = await unit('--listen', '0.0.0.0:8790')
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^bellhop: --listen \(BELLHOP_LISTEN\): .*without TLS/)
    expect(stderr).toContain(
      'bellhop: This Bellhop runs from source: put the compiled executable at /usr/local/bin/bellhop.\n',
    )
  })
})

/** By their lines `### path`. */
async function files(...flags: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { exitCode, stdout } = await line.run(['systemd', ...flags])
  expect(exitCode).toBe(0)
  const parts = stdout.split(/^### (.*)\n/m).slice(1)
  return new Map(
    parts.flatMap((path, at) => (at % 2 === 0 ? [[path, (parts[at + 1] ?? '').split('\n')] as const] : [])),
  )
}

const SERVICE = '/etc/systemd/system/bellhop.service'
const REPLICATION = '/etc/systemd/system/bellhop-litestream.service'
const CONFIGURATION = '/etc/bellhop/litestream.yml'

describe('with Litestream', () => {
  test('are the unit of the service as it is without, a unit of Litestream, and its configuration', async () => {
    const printed = await files('--litestream', 's3://my-bucket/bellhop/live/')
    expect([...printed.keys()]).toEqual([SERVICE, REPLICATION, CONFIGURATION])
    expect(printed.get(SERVICE)?.join('\n')).toBe((await unit()).stdout)
    expect(printed.get(CONFIGURATION)).toEqual([
      'dbs:',
      '  - path: "/var/lib/bellhop/bellhop.db"',
      '    replicas:',
      '      - type: s3',
      '        bucket: "my-bucket"',
      '        path: "bellhop/live"',
      '        endpoint: ${AWS_ENDPOINT_URL_S3}',
      '        region: ${AWS_REGION}',
      '        force-path-style: true',
      '        # Snapshots are made as often, and files of older ones deleted.',
      '        retention: 24h',
      '',
    ])
  })

  test('runs it as the user of the service, confined, and lets it start first and stop last', async () => {
    const lines = (await files('--litestream', 's3://my-bucket/live')).get(REPLICATION)
    for (const each of [
      'ExecStart=litestream replicate -config /etc/bellhop/litestream.yml',
      'EnvironmentFile=/etc/bellhop/litestream.env',
      'Before=bellhop.service',
      'User=bellhop',
      'DynamicUser=yes',
      'StateDirectory=bellhop',
      'StateDirectoryMode=0700',
      'UMask=0077',
      'Restart=always',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
    ]) {
      expect(lines).toContain(each)
    }
  })

  test('runs it as another user, where the database is that user’s', async () => {
    const printed = await files('--litestream', 's3://my-bucket/live', '--user', 'push', '--data', '/srv/push')
    expect(printed.get(CONFIGURATION)).toContain('  - path: "/srv/push/bellhop.db"')
    const lines = printed.get(REPLICATION)
    for (const each of ['User=push', 'ReadWritePaths=/srv/push']) expect(lines).toContain(each)
    for (const each of ['DynamicUser=yes', 'StateDirectoryMode=0700']) expect(lines).not.toContain(each)
  })

  test.each([
    ['/backups/live', '--litestream: "/backups/live" is not s3://bucket/path.'],
    [
      's3:///live',
      '--litestream: "s3:///live/" is not s3://bucket/prefix/ or s3://bucket/name.db, with a bucket name of 3 to 63 letters, digits, dots, hyphens and underscores.',
    ],
    ['s3://my-bucket/$HOME', '--litestream: the URL and --data must not contain "$".'],
  ])('is not to %s', async (url, what) => {
    const { exitCode, stdout, stderr } = await line.run(['systemd', '--litestream', url])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(what)
  })
})

test('a program that the service would not see is named where it is to be', () => {
  expect(programPath('/usr/bin/bellhop')).toEqual({ program: '/usr/bin/bellhop', note: null })
  for (const path of ['/home/me/bellhop', '/root/bellhop', '/tmp/bellhop']) {
    expect(programPath(path)).toEqual({
      program: '/usr/local/bin/bellhop',
      note: `The service does not see ${path}: install -m 755 ${path} /usr/local/bin/bellhop`,
    })
  }
})

describe('what cannot be is said, all of it, and no unit is printed', () => {
  test.each([
    [['--user', 'root'], '--user: the service does not need root: name another user, or omit --user.'],
    [['--user', 'nobody'], '--user: other programs also run as nobody: name a dedicated user, or omit --user.'],
    [['--user', 'a b'], '--user: "a b" is not a valid user name, such as bellhop.'],
    [['--data', './x'], '--data: "./x" is not an absolute path: a service does not start in your directory.'],
    [['--data', '/srv/x'], '--data: /srv/x is outside /var/lib, so it needs a permanent owner: --user NAME.'],
    [
      ['--data', '/var/lib/../x'],
      '--data: /var/lib/../x is outside /var/lib, so it needs a permanent owner: --user NAME.',
    ],
    [['--backup', '/mnt/b'], '--backup: /mnt/b is outside /var/lib, so it needs a permanent owner: --user NAME.'],
    [['--user', 'me', '--data', '/home/me/x'], '--data: /home/me/x is in /home, which the service does not see.'],
    [['--gateway-ca', '/root/ca.pem'], '--gateway-ca: /root/ca.pem is in /root, which the service does not see.'],
    [['--listen', 'nowhere'], '--listen (BELLHOP_LISTEN): "nowhere" is not host:port, such as 127.0.0.1:8790'],
    [['--key', 'x'], '--key is not a flag of this command.'],
  ])('%p', async (flags, problem) => {
    const { exitCode, stdout, stderr } = await unit(...flags)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`bellhop: ${problem}`)
  })

  test('together', async () => {
    const { stderr } = await unit('--user', 'root', '--data', './x', '--backup', '/tmp/b')
    expect(stderr.trimEnd().split('\n')).toHaveLength(3)
  })
})

const ANALYZE = Bun.which('systemd-analyze')

describe('systemd itself (these need systemd-analyze on this machine)', () => {
  const directory = directoryOfTests('bellhop-unit')

  async function analyze(text: string, ...command: readonly string[]) {
    const file = join(directory, 'bellhop.service')
    // `verify` looks for the program.
    writeFileSync(file, text.replace('/usr/local/bin/bellhop', process.execPath))
    const child = Bun.spawn([ANALYZE ?? '', ...command, file], { stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, output: out + err }
  }

  const variants = [
    [],
    ['--user', 'bellhop', '--listen', '0.0.0.0:443', '--tls-cert', '/etc/a b.pem', '--tls-key', '/etc/k.pem'],
  ]

  test.skipIf(ANALYZE === null).each(variants.map((flags) => [flags]))('has nothing against it: %p', async (flags) => {
    const { stdout } = await unit(...flags)
    const { exitCode, output } = await analyze(stdout, 'verify')
    expect([exitCode, output.split('\n').filter((each) => each.includes('bellhop.service'))]).toEqual([0, []])
  })

  test.skipIf(ANALYZE === null).each(variants.map((flags) => [flags]))('calls it OK or better: %p', async (flags) => {
    const { stdout } = await unit(...flags)
    const { exitCode, output } = await analyze(stdout, 'security', '--offline=true', '--threshold=20')
    expect(output).toMatch(/Overall exposure level for bellhop\.service: [01]\.\d OK/)
    expect(exitCode).toBe(0)
  })
})
