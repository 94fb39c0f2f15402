import { describe, expect, test } from 'bun:test'
import { parseCommand } from '../../src/cli/cli.ts'
import type { Command } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { commandLine } from './command-line.ts'

/** Words by spaces, 'quoted' ones whole. */
function shell(line: string): readonly string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

interface Given {
  readonly words?: readonly string[]
  readonly flags?: Readonly<Record<string, string>>
}

const run = (name: string, { words = [], flags = {} }: Given = {}): Command => ({
  kind: 'run',
  name,
  given: { words, flags: new Map(Object.entries(flags)), problems: [] },
})

describe('what a command line asks for', () => {
  const help = (topic: string) => run('help', { words: [topic] })
  const json = { json: '' }
  const cases: readonly (readonly [line: string, command: Command])[] = [
    ['', { kind: 'none' }],
    ['serve', run('serve')],
    ['serve --listen 127.0.0.1:0', run('serve', { flags: { listen: '127.0.0.1:0' } })],
    [
      'serve --trusted-proxies 10.0.0.1 --trusted-proxies 10.0.0.2',
      run('serve', { flags: { 'trusted-proxies': '10.0.0.1,10.0.0.2' } }),
    ],
    ['help', help('')],
    ['help app', help('app')],
    ['help app create', help('app create')],
    ['--help', help('')],
    ['-h', help('')],
    ['serve --listen --help', help('serve')],
    ['app --help', help('app')],
    ['app nothing --help', help('app')],
    ['app limits Shop --rate x --help', help('app limits')],
    ['help app show --help', help('app show')],
    ['nothing -h', help('')],
    ['--version', run('version')],
    ['serve --version', run('version')],
    ['-v', run('version')],
    ['-V --json', run('version', { flags: json })],
    ['version', run('version')],
    ['version --json', run('version', { flags: json })],
    ['--version --json', run('version', { flags: json })],
    ['config --listen 127.0.0.1:0 --json', run('config', { flags: { listen: '127.0.0.1:0', ...json } })],
    ['config --help', help('config')],
    ["app create 'Corner Shop'", run('app create', { words: ['Corner Shop'] })],
    ['app create --json Shop', run('app create', { words: ['Shop'], flags: json })],
    ['app create -- --help', run('app create', { words: ['--help'] })],
    ['app list', run('app list')],
    ['app list --data /srv --json', run('app list', { flags: { data: '/srv', ...json } })],
    ['app show Shop --data=/srv', run('app show', { words: ['Shop'], flags: { data: '/srv' } })],
    ['app delete Shop --yes', run('app delete', { words: ['Shop'], flags: { yes: '' } })],
    ['backup list', run('backup list')],
    ['backup /srv', run('backup', { words: ['/srv'] })],
    ['devices Shop --tag a --tag b,c', run('devices', { words: ['Shop'], flags: { tag: 'a,b,c' } })],
    [
      'app apns Shop --certificate c.p12 --password= --topic b.c',
      run('app apns', { words: ['Shop'], flags: { certificate: 'c.p12', password: '', topic: 'b.c' } }),
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
  const cases: readonly (readonly [line: string, ...problems: readonly string[]])[] = [
    ['srve', '"srve" is not a command. Did you mean serve?'],
    ['psuh shop hi', '"psuh" is not a command. Did you mean push?'],
    ['help psuh', '"psuh" is not a command. Did you mean push?'],
    ['app craete Shop', '"app craete" is not a command. Did you mean app create?'],
    ['push shop hi --tga beta', '--tga is not a flag of this command. Did you mean --tag?'],
    ['zebra', '"zebra" is not a command.'],
    ['--listen x', `--listen comes before a command: expected ${FIRSTS.join(', ')}.`],
    ['ap', '"ap" is not a command. Did you mean app?'],
    ['create Shop', '"create" is not a command. Did you mean app create or hook create?'],
    ['rotate-secret Shop', '"rotate-secret" is not a command. Did you mean app rotate-secret?'],
    ['help zebra', '"zebra" is not a command.'],
    [
      'app',
      'app needs a command: create, list, show, rotate-secret, user-key, delete, apns, fcm, webpush, webpush-key, simulate, webhook, limits, move.',
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
      'app delete deletes "Shop" with its devices, pushes and credentials for good; add --yes to do so.',
    ],
    ['app apns Shop', 'app apns needs --key FILE.p8 or --certificate FILE.'],
    ['app apns Shop --key k --certificate c', "--key and --certificate can't be combined."],
    ['app apns Shop --key k --team-id DEF123GHIJ', 'app apns with --key also needs --key-id, --topic.'],
    ['app apns Shop --key k --password p', '--password belongs to --certificate: a .p8 file has none.'],
    ['app apns Shop --certificate c --key-id ABC123DEFG', '--key-id belongs to --key: a certificate has none.'],
    ['app apns Shop --certificate c --team-id DEF123GHIJ', '--team-id belongs to --key: a certificate has none.'],
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
    ['push', 'push needs APP. Usage: bellhop push APP [MESSAGE] [FLAGS]'],
    ['push Shop --message Hello', '--message is not a flag of this command. Did you mean MESSAGE without a flag?'],
    ['push Shop Hello --at 9:00', '--at is not a flag of this command. Did you mean --send-at TIME?'],
    ['app fcm Shop', 'app fcm needs --service-account FILE.json.'],
    [
      'app limits Shop --rate -1 --burst 1.5 --quota many --quota-period week',
      '--rate: "-1" is not a number from 0 to 1000000, with at most 3 decimals',
      '--burst: "1.5" is not a whole number from 0 to 1000000',
      '--quota: "many" is not a whole number from 0 to 1000000000000',
      '--quota-period: "week" is not one of day, month',
    ],
    [
      'app limits Shop --confirm-above 1000000001 --hold-seconds 86401',
      '--confirm-above: "1000000001" is not a whole number from 0 to 1000000000',
      '--hold-seconds: "86401" is not a whole number from 0 to 86400',
    ],
    ['app limits Shop --push-id --no-push-id', "--push-id and --no-push-id can't be combined: choose one."],
  ]
  for (const [line, ...problems] of cases) {
    test(`bellhop ${line}`, async () => {
      using cli = commandLine()
      expect(await cli.run(shell(line))).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: problems.map((problem) => `bellhop: ${problem}\n`).join(''),
      })
    })
  }
})
