import { describe, expect, test } from 'bun:test'
import type { AppCommand } from '../../src/cli/app/app-arguments.ts'
import { parseCommand } from '../../src/cli/cli.ts'
import type { Command } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands.ts'

/** As a shell would split it: words by spaces, 'quoted' ones whole. */
function shell(line: string): readonly string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

const app = (command: AppCommand): Command => ({ kind: 'app', command })

describe('what a command line asks for', () => {
  const key = { kind: 'key', file: 'k.p8', keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', topic: 'b.c' } as const
  const certificate = { kind: 'certificate', file: 'c.p12' } as const
  const cases: readonly (readonly [line: string, command: Command])[] = [
    ['', { kind: 'none' }],
    ['serve', { kind: 'serve', argv: [] }],
    ['serve --listen 127.0.0.1:0 stray', { kind: 'serve', argv: ['--listen', '127.0.0.1:0', 'stray'] }],
    ['help', { kind: 'help', topic: '' }],
    ['help app', { kind: 'help', topic: 'app' }],
    ['help app create', { kind: 'help', topic: 'app create' }],
    ['--help', { kind: 'help', topic: '' }],
    ['-h', { kind: 'help', topic: '' }],
    ['serve --listen --help', { kind: 'help', topic: 'serve' }],
    ['app --help', { kind: 'help', topic: 'app' }],
    ['app nothing --help', { kind: 'help', topic: 'app' }],
    ['app limits Shop --rate x --help', { kind: 'help', topic: 'app limits' }],
    ['help app show --help', { kind: 'help', topic: 'app show' }],
    ['nothing -h', { kind: 'help', topic: '' }],
    ['--version', { kind: 'version', json: false }],
    ['serve --version', { kind: 'version', json: false }],
    ['-v', { kind: 'version', json: false }],
    ['-V --json', { kind: 'version', json: true }],
    ['version', { kind: 'version', json: false }],
    ['version --json', { kind: 'version', json: true }],
    ['--version --json', { kind: 'version', json: true }],
    ['config --listen foo stray', { kind: 'config', argv: ['--listen', 'foo', 'stray'] }],
    ['config --help', { kind: 'help', topic: 'config' }],
    ["app create 'Corner Shop'", app({ kind: 'app create', data: null, name: 'Corner Shop', json: false })],
    ['app create --json Shop', app({ kind: 'app create', data: null, name: 'Shop', json: true })],
    ['app create -- --help', app({ kind: 'app create', data: null, name: '--help', json: false })],
    ['app list', app({ kind: 'app list', data: null, json: false })],
    ['app list --data /srv --json', app({ kind: 'app list', data: '/srv', json: true })],
    ['app show Shop --data=/srv', app({ kind: 'app show', data: '/srv', app: 'Shop', json: false })],
    ['app rotate-secret Shop --json', app({ kind: 'app rotate-secret', data: null, app: 'Shop', json: true })],
    ['app delete Shop --yes', app({ kind: 'app delete', data: null, app: 'Shop' })],
    ['app fcm Shop --service-account s.json', app({ kind: 'app fcm', data: null, app: 'Shop', file: 's.json' })],
    ['app simulate Shop', app({ kind: 'app simulate', data: null, app: 'Shop', simulated: true, yes: false })],
    ['app simulate Shop --yes', app({ kind: 'app simulate', data: null, app: 'Shop', simulated: true, yes: true })],
    ['app simulate Shop --off', app({ kind: 'app simulate', data: null, app: 'Shop', simulated: false, yes: false })],
    ['app limits Shop', app({ kind: 'app limits', data: null, app: 'Shop', limits: {} })],
    [
      'app limits Shop --rate 0.5 --burst 2 --backend-rate 0 --backend-burst 3 --quota 4 --quota-period day',
      app({
        kind: 'app limits',
        data: null,
        app: 'Shop',
        limits: { rate: 0.5, burst: 2, backendRate: 0, backendBurst: 3, quota: 4, quotaPeriod: 'day' },
      }),
    ],
    [
      'app limits Shop --confirm-above 1000 --hold-seconds 86400',
      app({ kind: 'app limits', data: null, app: 'Shop', limits: { confirmAbove: 1000, holdSeconds: 86_400 } }),
    ],
    [
      'app limits Shop --no-push-id --burst 2',
      app({ kind: 'app limits', data: null, app: 'Shop', limits: { burst: 2, pushId: false } }),
    ],
    ['app limits Shop --push-id', app({ kind: 'app limits', data: null, app: 'Shop', limits: { pushId: true } })],
    [
      'app apns Shop --key k.p8 --key-id ABC123DEFG --team-id DEF123GHIJ --topic b.c',
      app({ kind: 'app apns', data: null, app: 'Shop', credential: { ...key, environment: 'auto' } }),
    ],
    [
      'app apns Shop --key k.p8 --key-id ABC123DEFG --team-id DEF123GHIJ --topic b.c --environment sandbox --data d',
      app({ kind: 'app apns', data: 'd', app: 'Shop', credential: { ...key, environment: 'sandbox' } }),
    ],
    [
      'app apns Shop --key keys/AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --topic b.c',
      app({
        kind: 'app apns',
        data: null,
        app: 'Shop',
        credential: { ...key, file: 'keys/AuthKey_ABC123DEFG.p8', environment: 'auto' },
      }),
    ],
    [
      'app apns Shop --certificate c.p12',
      app({
        kind: 'app apns',
        data: null,
        app: 'Shop',
        credential: { ...certificate, password: null, topic: null, environment: 'auto' },
      }),
    ],
    [
      'app apns Shop --certificate c.p12 --password= --topic b.c --environment production',
      app({
        kind: 'app apns',
        data: null,
        app: 'Shop',
        credential: { ...certificate, password: '', topic: 'b.c', environment: 'production' },
      }),
    ],
  ]
  for (const [line, command] of cases) {
    test(`bellhop ${line}`, () => {
      expect(parseCommand(shell(line))).toEqual(command)
    })
  }
})

describe('what is asked for wrongly', () => {
  const FIRSTS = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]))]
  const rates = 'is not a number from 0 to 1000000, with at most 3 decimals'
  const cases: readonly (readonly [line: string, ...problems: readonly string[]])[] = [
    ['srve', '"srve" is not a command. Did you mean serve?'],
    ['psuh shop hi', '"psuh" is not a command. Did you mean push?'],
    ['help psuh', '"psuh" is not a command. Did you mean push?'],
    ['app craete Shop', '"app craete" is not a command. Did you mean app create?'],
    ['push shop hi --tga beta', '--tga is not a flag of this command. Did you mean --tag?'],
    ['zebra', '"zebra" is not a command.'],
    ['--listen x', `--listen stands before a command: expected ${FIRSTS.join(', ')}.`],
    ['ap', '"ap" is not a command. Did you mean app?'],
    ['create Shop', '"create" is not a command. Did you mean app create?'],
    ['rotate-secret Shop', '"rotate-secret" is not a command. Did you mean app rotate-secret?'],
    ['help zebra', '"zebra" is not a command.'],
    ['app', 'app needs a command: create, list, show, rotate-secret, delete, apns, fcm, simulate, webhook, limits.'],
    [
      'app --json',
      'app needs a command: create, list, show, rotate-secret, delete, apns, fcm, simulate, webhook, limits.',
    ],
    ['app create', 'app create needs NAME. Usage: bellhop app create NAME [FLAGS]'],
    ['app create Corner Shop', '"Shop" is too much: app create takes one NAME, quoted if it has spaces.'],
    ['app list Shop', '"Shop" is too much: app list takes only flags.'],
    ['app show', 'app show needs APP. Usage: bellhop app show APP [FLAGS]'],
    ['app list --jsn', '--jsn is not a flag of this command. Did you mean --json?'],
    ['app create Shop --yes', '--yes is not a flag of this command.'],
    ['app show Shop --data', '--data needs a value.'],
    [
      'app delete Shop',
      'app delete erases "Shop" with its devices, pushes and credentials for good; add --yes to do so.',
    ],
    ['app apns Shop', 'app apns needs --key FILE.p8 or --certificate FILE.'],
    ['app apns Shop --topic b.c', 'app apns needs --key FILE.p8 or --certificate FILE.'],
    ['app apns Shop --key k --certificate c', '--key and --certificate exclude each other.'],
    ['app apns Shop --key k --team-id T', 'app apns with --key also needs --key-id, --topic.'],
    ['app apns Shop --key k --password p', '--password belongs to --certificate: a .p8 file has none.'],
    ['app apns Shop --certificate c --key-id K', '--key-id belongs to --key: a certificate has none.'],
    ['app apns Shop --certificate c --team-id T', '--team-id belongs to --key: a certificate has none.'],
    [
      'app apns Shop --certificate c --environment test',
      '--environment: "test" is not one of auto, production, sandbox',
    ],
    [
      'app apns Shop --key k --key-id ABC --team-id def123ghij --topic shop',
      '--key-id: "ABC" is not 10 characters of A-Z and 0-9, as Apple shows it',
      '--team-id: "def123ghij" is not 10 characters of A-Z and 0-9, as Apple shows it',
      '--topic: "shop" is not a bundle id, such as com.example.app',
    ],
    ['app apns Shop --certificate c --topic shop', '--topic: "shop" is not a bundle id, such as com.example.app'],
    ['push', 'push needs APP. Usage: bellhop push APP [MESSAGE] [FLAGS]'],
    ['push Shop --message Hello', '--message is not a flag of this command. Did you mean MESSAGE, without a flag?'],
    ['push Shop Hello --at 9:00', '--at is not a flag of this command. Did you mean --send-at TIME?'],
    ['app fcm Shop', 'app fcm needs --service-account FILE.json.'],
    [
      'app limits Shop --rate -1 --burst 1.5 --quota many --quota-period week',
      `--rate: "-1" ${rates}`,
      '--burst: "1.5" is not a whole number from 0 to 1000000',
      '--quota: "many" is not a whole number from 0 to 1000000000000',
      '--quota-period: "week" is not one of day, month',
    ],
    ['app limits Shop --backend-rate 0.0001', `--backend-rate: "0.0001" ${rates}`],
    ['app limits Shop --rate 1000001', `--rate: "1000001" ${rates}`],
    [
      'app limits Shop --confirm-above 1000000001 --hold-seconds 86401',
      '--confirm-above: "1000000001" is not a whole number from 0 to 1000000000',
      '--hold-seconds: "86401" is not a whole number from 0 to 86400',
    ],
    ['app limits Shop --push-id --no-push-id', '--push-id and --no-push-id exclude each other.'],
    ['app limits Shop --rate 1e3', `--rate: "1e3" ${rates}`],
    ['app limits Shop --backend-burst 1000001', '--backend-burst: "1000001" is not a whole number from 0 to 1000000'],
  ]
  for (const [line, ...problems] of cases) {
    test(`bellhop ${line}`, () => {
      expect(parseCommand(shell(line))).toEqual({ kind: 'problems', problems })
    })
  }
})
