import { describe, expect, test } from 'bun:test'
import { parseConfig, readSettings } from '../../src/settings/parse.ts'
import type { Config } from '../../src/settings/parse.ts'
import { describeSettings, settingsTable } from '../../src/settings/settings-text.ts'
import type { ReadFile } from '../../src/system/read-file.ts'

const HEX = '0123456789abcdef'.repeat(4)
const BASE64 = Buffer.from(HEX, 'hex').toString('base64')

const FILES: Readonly<Record<string, string>> = {
  '/run/key': `${BASE64}\n`,
  '/run/short': 'c2hvcnQ=',
  '/run/empty': '\n',
  '/run/proxy': 'http://user:hunter2@proxy.test:3128\n',
}
const readFile: ReadFile = (path) => {
  const text = FILES[path]
  if (text === undefined) return { kind: 'problem', problem: 'cannot be read: there is no such file' }
  return { kind: 'read', bytes: new TextEncoder().encode(text) }
}

function configOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  const result = parseConfig(argv, env, readFile)
  if (result.kind === 'problems') throw new Error(result.problems.join('\n'))
  return result.config
}

function problemsOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  const result = parseConfig(argv, env, readFile)
  return result.kind === 'problems' ? result.problems : []
}

describe('where a setting comes from', () => {
  test('without flags and variables every setting has its default', () => {
    // The manual has the text of each (test/readme.test.ts).
    expect(parseConfig([], {}, readFile)).toMatchObject({
      kind: 'config',
      warnings: [],
      config: { listen: { host: '127.0.0.1', port: 8790 }, adminHost: null, maxInFlight: 4096, compat: false },
    })
  })

  test('each setting is both a flag and a variable', () => {
    const texts: Readonly<Record<keyof Config, string>> = {
      listen: '0.0.0.0:1',
      adminListen: '0.0.0.0:2',
      adminHost: 'Bellhop,admin.example.com',
      publicUrl: 'https://push.example.com',
      data: '/srv',
      apnsUrl: 'https://a.test',
      apnsSandboxUrl: 'https://b.test',
      fcmUrl: 'https://c.test',
      fcmTokenUrl: 'https://d.test/t',
      pushServices: 'https://Push.test:8443,https://e.test',
      gatewayCa: '/ca.pem',
      proxy: 'http://user:p%40ss@proxy.test:3128',
      transport: 'http2-wrapper',
      key: HEX,
      logLevel: 'debug',
      logFormat: 'text',
      drainSeconds: '3',
      maxInFlight: '4',
      ttlClock: 'wall',
      docs: 'off',
      webhookPrivate: 'on',
      compat: 'on',
      headerPrefix: 'ACME,old-name',
      tlsCert: '/cert.pem',
      tlsKey: '/key.pem',
      hstsDays: '30',
      trustedProxies: '127.0.0.1,10.0.0.0/8',
      backup: 's3://bucket/bellhop',
      backupEvery: '90m',
      backupKeep: '3',
      backupVerify: 'off',
      keepGone: '30d',
    }
    const rows = describeSettings()
    const values = Object.values(texts)
    const byFlag = configOf(
      rows.flatMap(({ flag, placeholder }, at) => (placeholder === '' ? [flag] : [flag, values[at] ?? ''])),
    )
    const byVariable = configOf([], Object.fromEntries(rows.map(({ env }, at) => [env, values[at] ?? ''])))
    expect(byFlag).toEqual({
      ...texts,
      listen: { host: '0.0.0.0', port: 1 },
      adminListen: { host: '0.0.0.0', port: 2 },
      adminHost: ['bellhop', 'admin.example.com'],
      pushServices: ['https://push.test:8443', 'https://e.test'],
      proxy: { host: 'proxy.test', port: 3128, authorization: 'Basic dXNlcjpwQHNz' },
      transport: 'http2-wrapper',
      logLevel: 'debug',
      logFormat: 'text',
      hstsDays: 30,
      drainSeconds: 3,
      maxInFlight: 4,
      ttlClock: 'wall',
      docs: 'off',
      webhookPrivate: true,
      compat: true,
      headerPrefix: ['ACME', 'OLD-NAME'],
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
      backupEvery: 5_400_000,
      backupKeep: 3,
      backupVerify: 'off',
      keepGone: 2_592_000_000,
    })
    expect(byVariable).toEqual(byFlag)
  })

  test('a flag goes before the variable, the variable before the default', () => {
    const env = { BELLHOP_DATA: '/variable' }
    expect(configOf(['--data', '/flag'], env).data).toBe('/flag')
    expect(configOf([], env).data).toBe('/variable')
  })

  test('--name=value is --name value, and of a flag given twice the last counts', () => {
    expect(configOf(['--data=/a=b']).data).toBe('/a=b')
    expect(configOf(['--data', '/a', '--data', '/b']).data).toBe('/b')
  })

  test('a switch takes no value; its variable says on or off', () => {
    expect(configOf(['--compat']).compat).toBe(true)
    for (const text of ['on', 'ON', 'true', '1', 'yes'])
      expect(configOf([], { BELLHOP_COMPAT: text }).compat).toBe(true)
    for (const text of ['off', 'Off', 'false', '0', 'no', '']) {
      expect(configOf([], { BELLHOP_COMPAT: text }).compat).toBe(false)
    }
    expect(configOf(['--compat'], { BELLHOP_COMPAT: 'off' }).compat).toBe(true)
    expect(problemsOf(['--compat=on'])).toEqual(['--compat takes no value.'])
    expect(problemsOf([], { BELLHOP_COMPAT: 'maybe' })).toEqual(['--compat (BELLHOP_COMPAT): "maybe" is not on or off'])
  })

  test('header prefixes come from one flag or several, or from a variable, separated by commas', () => {
    const readings: readonly (readonly [argv: readonly string[], prefixes: readonly string[]])[] = [
      [['--header-prefix', 'ACME'], ['ACME']],
      [
        ['--header-prefix', 'acme', '--header-prefix=Old-2', '--data', 'x', '--header-prefix', 'B,C'],
        ['ACME', 'OLD-2', 'B', 'C'],
      ],
      [
        ['--header-prefix', ' a , b,A'],
        ['A', 'B'],
      ],
      [['--header-prefix', 'x'.repeat(64)], ['X'.repeat(64)]],
    ]
    for (const [argv, prefixes] of readings) expect(configOf(argv).headerPrefix).toEqual(prefixes)
    const env = { BELLHOP_HEADER_PREFIX: 'ACME, OLD' }
    expect(configOf([], env).headerPrefix).toEqual(['ACME', 'OLD'])
    expect(configOf(['--header-prefix', 'NEW'], env).headerPrefix).toEqual(['NEW'])
    expect(configOf([], { BELLHOP_HEADER_PREFIX: '' }).headerPrefix).toBeNull()
  })

  test('of several header prefixes the wrong one is named', () => {
    const problem = (name: string) =>
      `--header-prefix (BELLHOP_HEADER_PREFIX): "${name}" is not a name of 1 to 64 letters, digits and hyphens, such as ACME for X-ACME-APPID`
    const wrong = ['', 'a b', 'a_b', '-a', 'a-', 'a:', 'é', 'a\nb', 'x'.repeat(65)]
    for (const name of wrong) {
      expect(problemsOf([], { BELLHOP_HEADER_PREFIX: `ok,${name},fine` })).toEqual([problem(name)])
      expect(problemsOf(['--header-prefix', 'ok', `--header-prefix=${name}`])).toEqual([problem(name)])
    }
    expect(problemsOf(['--header-prefix', ''])).toEqual([problem('')])
    expect(problemsOf(['--header-prefix'])).toEqual(['--header-prefix needs a value.'])
  })

  test('a variable that is set to nothing is not set', () => {
    expect(configOf([], { BELLHOP_DATA: '', BELLHOP_KEY: '', BELLHOP_KEY_FILE: '' })).toEqual(configOf([]))
  })
})

describe('what a setting can be', () => {
  const accepted: readonly (readonly [flag: string, text: string, name: keyof Config, value: unknown])[] = [
    ['--listen', '127.0.0.1:0', 'listen', { host: '127.0.0.1', port: 0 }],
    ['--listen', '8790', 'listen', { host: '127.0.0.1', port: 8790 }],
    ['--listen', ':8790', 'listen', { host: '127.0.0.1', port: 8790 }],
    ['--admin-listen', '8791', 'adminListen', { host: '127.0.0.1', port: 8791 }],
    ['--listen', 'localhost:65535', 'listen', { host: 'localhost', port: 65_535 }],
    ['--listen', 'push.example.com:80', 'listen', { host: 'push.example.com', port: 80 }],
    ['--listen', '[::1]:8790', 'listen', { host: '::1', port: 8790 }],
    ['--listen', '[::]:0', 'listen', { host: '::', port: 0 }],
    ['--apns-url', 'https://localhost:2197/', 'apnsUrl', 'https://localhost:2197'],
    ['--apns-url', 'https://api.push.apple.com:443', 'apnsUrl', 'https://api.push.apple.com'],
    ['--fcm-token-url', 'https://localhost:1/a/token?b=c', 'fcmTokenUrl', 'https://localhost:1/a/token?b=c'],
    ['--push-services', 'https://a.test', 'pushServices', ['https://a.test']],
    ['--push-services', 'https://a.test:443/', 'pushServices', ['https://a.test']],
    [
      '--push-services',
      'https://a.test/index.php/apps/uppush/',
      'pushServices',
      ['https://a.test/index.php/apps/uppush'],
    ],
    ['--push-services', 'https://a.test/x/../up', 'pushServices', ['https://a.test/up']],
    ['--proxy', 'http://proxy.test:3128', 'proxy', { host: 'proxy.test', port: 3128, authorization: null }],
    ['--proxy', 'http://10.0.0.1:80/', 'proxy', { host: '10.0.0.1', port: 80, authorization: null }],
    ['--proxy', 'http://[::1]:3128', 'proxy', { host: '::1', port: 3128, authorization: null }],
    ['--proxy', 'http://a:b%3Ac@d:1', 'proxy', { host: 'd', port: 1, authorization: `Basic ${btoa('a:b:c')}` }],
    ['--proxy', 'http://a@d:1', 'proxy', { host: 'd', port: 1, authorization: `Basic ${btoa('a:')}` }],
    ['--proxy', 'http://%C3%A9:x@d:1', 'proxy', { host: 'd', port: 1, authorization: 'Basic w6k6eA==' }],
    ['--transport', 'h2', 'transport', 'h2'],
    ['--transport', 'http2-wrapper', 'transport', 'http2-wrapper'],
    ['--key', HEX, 'key', HEX],
    ['--key', HEX.toUpperCase(), 'key', HEX.toUpperCase()],
    ['--key', BASE64, 'key', BASE64],
    ['--key', BASE64.slice(0, 43), 'key', BASE64.slice(0, 43)],
    ['--log-level', 'error', 'logLevel', 'error'],
    ['--log-format', 'text', 'logFormat', 'text'],
    ['--drain-seconds', '0', 'drainSeconds', 0],
    ['--drain-seconds', '3600', 'drainSeconds', 3600],
    ['--max-in-flight', '65535', 'maxInFlight', 65_535],
  ]
  for (const [flag, text, name, value] of accepted) {
    test(`${flag} takes ${text}`, () => {
      expect(configOf([flag, text])[name]).toEqual(value as never)
    })
  }

  const HOST_PORT = 'is not host:port, such as 127.0.0.1:8790'
  const ORIGIN = 'is not an https origin without a path, such as https://api.push.apple.com'
  const KEY =
    '--key (BELLHOP_KEY): the value is not 32 bytes in base64 (44 characters) or hex (64), such as "openssl rand -base64 32" prints'
  const PROXY =
    '--proxy (BELLHOP_PROXY): the value is not http://host:port or http://user:password@host:port, with special characters percent-encoded'
  const refused: readonly (readonly [flag: string, text: string, problem: string])[] = [
    ...['foo', '65536', ':', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:-1', '::1:8790'].map(
      (text) => ['--listen', text, `--listen (BELLHOP_LISTEN): "${text}" ${HOST_PORT}`] as const,
    ),
    ...['999.0.0.1:1', '1.2.3:1', '[127.0.0.1]:1', '[::g]:1', 'a_b:1', '-a.test:1', 'a..b:1', 'http://a:1', ''].map(
      (text) => ['--listen', text, `--listen (BELLHOP_LISTEN): "${text}" ${HOST_PORT}`] as const,
    ),
    ...['http://a.test', 'a.test', 'https://a.test/p', 'https://a.test/?q', 'https://u:p@a.test', 'https://'].map(
      (text) => ['--apns-url', text, `--apns-url (BELLHOP_APNS_URL): "${text}" ${ORIGIN}`] as const,
    ),
    ...[
      'http://a.test',
      'a.test',
      'https://a.test/?q',
      'https://a.test/a%20b',
      'https://a.test//b',
      'https://a.test/#a',
    ].map(
      (text) =>
        [
          '--push-services',
          text,
          `--push-services (BELLHOP_PUSH_SERVICES): "${text}" is not an https origin, perhaps with a path, such as https://push.example.com or https://example.com/push`,
        ] as const,
    ),
    [
      '--fcm-token-url',
      'http://a.test/token',
      '--fcm-token-url (BELLHOP_FCM_TOKEN_URL): "http://a.test/token" is not an https address, such as https://oauth2.googleapis.com/token',
    ],
    ['--data', '', '--data (BELLHOP_DATA): "" is not a path'],
    ['--log-level', 'INFO', '--log-level (BELLHOP_LOG_LEVEL): "INFO" is not one of debug, info, warn, error'],
    ...['-1', '1.5', '3601', '1e2', ' 1', 'ten', ''].map(
      (text) =>
        [
          '--drain-seconds',
          text,
          `--drain-seconds (BELLHOP_DRAIN_SECONDS): "${text}" is not a whole number from 0 to 3600`,
        ] as const,
    ),
    ...['0', '65536'].map(
      (text) =>
        [
          '--max-in-flight',
          text,
          `--max-in-flight (BELLHOP_MAX_IN_FLIGHT): "${text}" is not a whole number from 1 to 65535`,
        ] as const,
    ),
    ['--transport', 'fetch', '--transport (BELLHOP_TRANSPORT): "fetch" is not one of h2, http2-wrapper'],
    // A secret is never quoted.
    ...[
      'proxy.test:3128',
      'https://proxy.test:3128',
      'socks5://proxy.test:1080',
      'http://proxy.test',
      'http://user:hunter2@proxy.test',
      'http://user:hunter2@proxy.test:0',
      'http://user:hunter2@proxy.test:65536',
      'http://user:hunter2@proxy.test:3128/path',
      'http://user:hunter2@proxy.test:3128?query',
      'http://us%3Aer:hunter2@proxy.test:3128',
      'http://user:%zz@proxy.test:3128',
      'http://user:a%0Db@proxy.test:3128',
      'http://a_b:3128',
      '',
    ].map((text) => ['--proxy', text, PROXY] as const),
    ...['hunter2', HEX.slice(1), `${BASE64}A`].map((text) => ['--key', text, KEY] as const),
  ]
  for (const [flag, text, problem] of refused) {
    test(`${flag} does not take "${text}"`, () => {
      expect(problemsOf([flag, text])).toEqual([problem])
    })
  }
})

describe('a secret', () => {
  test('can be in a file that a variable names, with or without a line end', () => {
    expect(configOf([], { BELLHOP_KEY_FILE: '/run/key' }).key).toBe(BASE64)
  })

  test('can be the address of a proxy', () => {
    const { proxy } = configOf([], { BELLHOP_PROXY_FILE: '/run/proxy' })
    expect(proxy).toEqual({ host: 'proxy.test', port: 3128, authorization: 'Basic dXNlcjpodW50ZXIy' })
  })

  test('on the command line goes before the file, which is then not read', () => {
    expect(configOf(['--key', HEX], { BELLHOP_KEY_FILE: '/missing' }).key).toBe(HEX)
  })

  const refused: readonly (readonly [name: string, env: Readonly<Record<string, string>>, problem: string])[] = [
    [
      'in a file that is not there is a problem',
      { BELLHOP_KEY_FILE: '/missing' },
      '--key (BELLHOP_KEY): the file /missing of BELLHOP_KEY_FILE cannot be read: there is no such file',
    ],
    [
      'in a file is checked like any other, and not quoted',
      { BELLHOP_KEY_FILE: '/run/short' },
      '--key (BELLHOP_KEY): the value is not 32 bytes in base64 (44 characters) or hex (64), such as "openssl rand -base64 32" prints',
    ],
    [
      'in a file that is empty is a problem, not the default',
      { BELLHOP_KEY_FILE: '/run/empty' },
      '--key (BELLHOP_KEY): the file /run/empty of BELLHOP_KEY_FILE is empty',
    ],
    [
      'given in both ways is a problem',
      { BELLHOP_KEY_FILE: '/run/key', BELLHOP_KEY: HEX },
      '--key (BELLHOP_KEY): BELLHOP_KEY and BELLHOP_KEY_FILE are both set; keep one',
    ],
  ]
  for (const [name, env, problem] of refused) {
    test(name, () => {
      expect(problemsOf([], env)).toEqual([problem])
    })
  }

  test('only a secret has a variable for a file', () => {
    expect(parseConfig([], { BELLHOP_DATA_FILE: '/run/data' }, readFile).warnings).toEqual([
      'BELLHOP_DATA_FILE is not a setting and is ignored.',
    ])
  })
})

describe('mistakes', () => {
  test('all problems are reported together', () => {
    expect(problemsOf(['--lisen', 'x', '--data', '--log-level', 'loud'], { BELLHOP_DRAIN_SECONDS: 'soon' })).toEqual([
      '--lisen is not a flag of this command. Did you mean --listen?',
      '--data needs a value.',
      '--log-level (BELLHOP_LOG_LEVEL): "loud" is not one of debug, info, warn, error',
      '--drain-seconds (BELLHOP_DRAIN_SECONDS): "soon" is not a whole number from 0 to 3600',
    ])
  })

  test('an unknown flag that is like none gets no suggestion', () => {
    expect(problemsOf(['--zebra'])).toEqual(['--zebra is not a flag of this command.'])
    expect(problemsOf(['-p'])).toEqual(['-p is not a flag of this command.'])
  })

  test('unknown BELLHOP_ variables are warnings, with and without other problems', () => {
    const env = { BELLHOP_LISTN: 'x', BELLHOP_ZEBRA: 'x', BELLHOP_CERTIFICATE_PASSWORD: 'x', PATH: '/bin' }
    const warnings = [
      'BELLHOP_LISTN is not a setting and is ignored. Did you mean BELLHOP_LISTEN?',
      'BELLHOP_ZEBRA is not a setting and is ignored.',
    ]
    expect(parseConfig([], env, readFile)).toEqual({ kind: 'config', config: configOf([]), warnings })
    expect(parseConfig(['--data='], env, readFile)).toEqual({
      kind: 'problems',
      problems: ['--data (BELLHOP_DATA): "" is not a path'],
      warnings,
    })
  })
})

describe('settings that do not go together', () => {
  function warningsOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
    return parseConfig(argv, env, readFile).warnings
  }

  test('a certificate needs its key, and a key its certificate', () => {
    expect(problemsOf(['--tls-cert', '/c.pem'])).toEqual([
      '--tls-key (BELLHOP_TLS_KEY) is missing: --tls-cert (BELLHOP_TLS_CERT) is of no use without it.',
    ])
    expect(problemsOf([], { BELLHOP_TLS_KEY: '/k.pem' })).toEqual([
      '--tls-cert (BELLHOP_TLS_CERT) is missing: --tls-key (BELLHOP_TLS_KEY) is of no use without it.',
    ])
    expect(problemsOf(['--tls-cert', '/c.pem', '--tls-key', '/k.pem'])).toEqual([])
  })

  test('the two listeners need a port each', () => {
    const same = (listen: string, admin: string) => problemsOf(['--listen', listen, '--admin-listen', admin])
    expect(same('127.0.0.1:80', '127.0.0.1:80')).toEqual([
      '--admin-listen (BELLHOP_ADMIN_LISTEN): 127.0.0.1:80 and --listen (BELLHOP_LISTEN) 127.0.0.1:80 are the same port: choose two.',
    ])
    for (const [listen, admin] of [
      ['0.0.0.0:80', '127.0.0.1:80'],
      ['10.0.0.1:80', '0.0.0.0:80'],
      ['[::]:80', '127.0.0.1:80'],
      ['0.0.0.0:80', 'localhost:80'],
    ] as const) {
      expect(same(listen, admin)).toHaveLength(1)
    }
    for (const [listen, admin] of [
      ['127.0.0.1:80', '127.0.0.1:81'],
      ['127.0.0.1:80', '127.0.0.2:80'],
      ['0.0.0.0:80', '[::1]:80'],
      ['127.0.0.1:0', '127.0.0.1:0'],
    ] as const) {
      expect(same(listen, admin)).toEqual([])
    }
  })

  test('they are reported with all other problems, and not about what could not be read', () => {
    expect(problemsOf(['--listen', 'foo', '--tls-cert', '/c.pem', '--drain-seconds', 'x'])).toEqual([
      '--listen (BELLHOP_LISTEN): "foo" is not host:port, such as 127.0.0.1:8790',
      '--drain-seconds (BELLHOP_DRAIN_SECONDS): "x" is not a whole number from 0 to 3600',
      '--tls-key (BELLHOP_TLS_KEY) is missing: --tls-cert (BELLHOP_TLS_CERT) is of no use without it.',
    ])
    expect(problemsOf(['--tls-cert', '', '--tls-key', '/k.pem'])).toEqual([
      '--tls-cert (BELLHOP_TLS_CERT): "" is not a path',
    ])
  })

  test('a listener that others reach without TLS is a warning, and none with TLS, with a trusted proxy or on loopback', () => {
    const open = [
      '--listen (BELLHOP_LISTEN): without TLS, secrets that come to 0.0.0.0:8790 from other machines travel in the clear. Put a proxy with TLS in front and name it in --trusted-proxies, or set --tls-cert and --tls-key.',
    ]
    expect(warningsOf(['--listen', '0.0.0.0:8790'])).toEqual(open)
    expect(warningsOf(['--listen', '0.0.0.0:8790', '--tls-cert', '/c', '--tls-key', '/k'])).toEqual([])
    expect(warningsOf(['--listen', '0.0.0.0:8790', '--trusted-proxies', '172.17.0.1'])).toEqual([])
    for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost']) {
      expect(warningsOf(['--listen', `${host}:8790`])).toEqual([])
    }
    for (const host of ['[::]', 'push.example.com', '10.0.0.1', '127.example.com']) {
      expect(warningsOf(['--listen', `${host}:8790`])).toHaveLength(1)
    }
  })

  test('an admin listener that others reach is a warning: it has no TLS', () => {
    expect(warningsOf(['--admin-listen', '[::]:8791'])).toEqual([
      '--admin-listen (BELLHOP_ADMIN_LISTEN): [::]:8791 is open to other machines without TLS: passwords can be read on the way. Put a proxy in front, or keep strangers out by a firewall.',
    ])
  })

  test('backups inside the data directory are a warning', () => {
    const inside = (data: string, backup: string) => warningsOf(['--data', data, '--backup', backup])
    expect(inside('/srv/bellhop', '/srv/bellhop/backups')).toEqual([
      '--backup (BELLHOP_BACKUP): /srv/bellhop/backups is inside the data directory /srv/bellhop: what takes the one takes the other.',
    ])
    for (const [data, backup] of [
      ['/srv/bellhop', '/srv/bellhop/'],
      ['./data', 'data/..b'],
    ] as const) {
      expect(inside(data, backup)).toHaveLength(1)
    }
    for (const [data, backup] of [
      ['/srv/bellhop', '/srv/bellhop-backups'],
      ['/srv/bellhop', '/srv'],
      ['.', 's3://bucket/bellhop'],
    ] as const) {
      expect(inside(data, backup)).toEqual([])
    }
  })

  test('settings of backups without a place for them are a warning: none are made', () => {
    expect(warningsOf(['--backup-every', '24h'], { BELLHOP_BACKUP_KEEP: '3' })).toEqual([
      '--backup-every (BELLHOP_BACKUP_EVERY) does nothing without --backup (BELLHOP_BACKUP): no backups are made.',
      '--backup-keep (BELLHOP_BACKUP_KEEP) does nothing without --backup (BELLHOP_BACKUP): no backups are made.',
    ])
    expect(warningsOf(['--backup-every', '24h', '--backup', '/srv/backups'])).toEqual([])
  })

  test('a secret on the command line is a warning: others on the machine see it', () => {
    expect(warningsOf(['--key', HEX])).toEqual([
      '--key on a command line is seen by everybody on this machine (ps); BELLHOP_KEY_FILE may name a file that contains it.',
    ])
    expect(warningsOf([], { BELLHOP_KEY: HEX })).toEqual([])
  })
})

describe('some of the settings', () => {
  test('other settings are neither read nor complained about', () => {
    const env = { BELLHOP_DATA: '/srv', BELLHOP_LISTEN: 'wrong' }
    expect(readSettings(['data'], { flags: new Map(), env, readFile })).toEqual({
      kind: 'config',
      config: { data: '/srv' },
    })
  })

  test('a setting without a flag is named by its variable alone', () => {
    const sources = { flags: new Map(), env: { BELLHOP_KEY: 'short' }, readFile, withoutFlag: ['key'] as const }
    expect(readSettings(['key'], sources)).toEqual({
      kind: 'problems',
      problems: [
        'BELLHOP_KEY: the value is not 32 bytes in base64 (44 characters) or hex (64), such as "openssl rand -base64 32" prints',
      ],
    })
  })
})

describe('the table for the manual', () => {
  const lines = settingsTable().split('\n')

  test('a line names flag, variable, default and meaning; a secret its file too', () => {
    expect(lines).toContain(
      '| `--admin-listen` | `BELLHOP_ADMIN_LISTEN` | `127.0.0.1:8791` | Where the admin side listens, apart from the API: `/readyz`, `/healthz`, `/metrics`, `/pushes/<id>`, `/simulator/received`, to this machine and to tokens; and `/api` to administrators. |',
    )
    expect(lines.find((line) => line.includes('`--key`'))).toStartWith(
      '| `--key` | `BELLHOP_KEY`, `BELLHOP_KEY_FILE` | none | ',
    )
  })
})
