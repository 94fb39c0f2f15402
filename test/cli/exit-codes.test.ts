import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { CommandSpec, FlagSpec } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { SETTING_FLAGS } from '../../src/settings/parse.ts'
import { SETTINGS, SETTING_NAMES, flagOf } from '../../src/settings/table.ts'
import { commandLine, refused } from './command-line.ts'
import type { CommandLine } from './command-line.ts'

/** Prevents other errors. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'app delete': ['--yes'],
  'app apns --key': ['--team-id', 'DEF123GHIJ', '--topic', 'b.c', '--key-id', 'ABC123DEFG'],
  'app apns --key-id': ['--key', 'k.p8', '--team-id', 'DEF123GHIJ', '--topic', 'b.c'],
  'app apns --team-id': ['--key', 'AuthKey_ABC123DEFG.p8', '--topic', 'b.c'],
  'app apns': ['--certificate', 'c.p12'],
  push: ['Hello', '--all'],
  'push --tag': ['Hello'],
  'push --alias': ['Hello'],
  'push --token': ['Hello'],
  'push --user': ['Hello'],
  'push --where': ['Hello'],
  'hook create': ['--template', 'hook.json'],
  'alert delete': ['--yes'],
  'hook preview': ['--example', 'event.json'],
  'devices restore': ['--since', '1h', '--dry-run'],
  'devices restore --since': ['--dry-run'],
  upgrade: ['--from', 'bellhop-next'],
  'upgrade --from': [],
}

const NOT_JSON = ['{', '17']

/** Wrong values of flags without a type. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  'app webhook --url': ['shop.example', 'http://8.8.8.8/'],
  'app webhook --events': ['push.done', ''],
  'app webhook --secret': ['whsec_c2hvcnQ='],
  'push --tag': [''],
  'push --except-tag': [''],
  'push --alias': [''],
  'push --token': ['94b2…'],
  'push --user': ['', 'x'.repeat(257)],
  'push --languages': [...NOT_JSON, '{"de": {"titel": "x"}}', '{"no language": {"msg": "x"}}'],
  'push --where': [...NOT_JSON, '{"tagg": "a"}'],
  'push --badge': ['many'],
  'push --link': ['no address'],
  'push --image': ['no address'],
  'push --payload': [...NOT_JSON, `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  'push --action': [...NOT_JSON, '{"action": "track"}'],
  'push --collapse': ['x'.repeat(65)],
  'push --ttl': ['-1', 'soon'],
  'push --relevance-score': ['high', '2'],
  'push --fields': [...NOT_JSON, '{"titel": "x"}'],
  'push --send-at': ['yesterday'],
  'push --confirm': ['all'],
  'pushes --after': ['no id'],
  'devices --token': ['94b2…'],
  'devices --after': ['94b2…'],
  'devices restore --since': ['yesterday', '2999-01-01T00:00:00Z'],
  'devices restore --until': ['yesterday', '2999-01-01T00:00:00Z'],
  'audit --since': ['yesterday'],
  'audit --until': ['yesterday'],
  'alert add --when': ['on-fire', ''],
  'alert add --name': ['A b'],
  'hook preview --header': ['X-Event', ': push'],
  'import --map': ['tokn=x', 'token'],
  'admin link --url': ['push.example.com', 'ftp://push.example.com', 'https://push.example.com/x'],
  'admin reset --url': ['push.example.com', 'ftp://push.example.com', 'https://push.example.com/x'],
  'systemd --user': ['root', 'A B'],
  'systemd --litestream': ['/backups/live', 'gs://backups/live', 's3://backups/$HOME'],
  'restore --litestream': ['gs://backups/live', 's3:///live'],
  'backup verify --litestream': ['gs://backups/live', 's3:///live'],
  'upgrade --from': ['', 'http://downloads.example.com/bellhop', 'ftp://localhost/bellhop'],
}

/** Any value will do, or depends on the data. */
const ANY = new Set([
  'audit --who',
  'audit --action',
  'doctor --send',
  'app apns --password',
  'admin totp --code',
  'push --title',
  'push --subtitle',
  'push --sound',
  'devices --tag',
  'devices --alias',
  'devices --user',
  'devices restore --reason',
  'export --app',
  'import --app',
  'manual --search',
  'upgrade --key',
  'upgrade --restart',
])

let cli: CommandLine
let file: string
beforeAll(async () => {
  cli = commandLine()
  await cli.run(['app', 'create', 'Shop'])
  file = cli.file('devices.csv', 'token,platform\nx,android\n')
})
afterAll(() => cli[Symbol.dispose]())

/** With an application, a file, and an output directory. */
function wordsOf({ name, words }: CommandSpec): readonly string[] {
  if (name === 'import') return ['Shop', file]
  if (name === 'export') return ['Shop']
  return words.filter((word) => !word.startsWith('[')).map((word) => VALUES[word] ?? join(cli.data, 'made', '/'))
}

const VALUES: Readonly<Record<string, string>> = {
  APP: 'Shop',
  NAME: 'Other',
  PUSH: '019a9f7e-3c1b-7000-8000-000000000000',
  TOKEN: 'abcdefgh',
  'bash|zsh|fish': 'bash',
  'webhook|ntfy|email': 'ntfy',
  URL: 'https://ntfy.test/topic',
}

interface Valued {
  readonly spec: CommandSpec
  readonly flag: string
  /** Follows " is not ". */
  readonly expected: string | null
  readonly wrong: readonly string[]
}

const CANDIDATES = ['', '?', '-1', 'no such value', '\0']

function valuedFlags(): readonly Valued[] {
  return COMMANDS.flatMap((spec) => {
    const own = spec.flags.filter(({ placeholder }) => placeholder !== null).map((flag) => valuedOf(spec, flag))
    const settings = spec.settings ? [...SETTING_FLAGS.valued, ...SETTING_FLAGS.lists] : []
    return [...own, ...settings.map((name) => valuedOf(spec, { name, placeholder: '', doc: '' }))]
  })
}

function valuedOf(spec: CommandSpec, { name, type, setting }: FlagSpec): Valued {
  const id = `${spec.name} --${name}`
  const same = SETTING_NAMES.find((each) => flagOf(each) === name)
  const ofServe = spec.settings || spec.name === 'doctor' || spec.name === 'systemd' ? same : undefined
  const known = setting ?? ofServe
  const typed = type ?? (known === undefined ? undefined : SETTINGS[known].type)
  const wrong = typed === undefined ? (WRONG[id] ?? []) : CANDIDATES.filter((text) => typed.read(text) === undefined)
  return { spec, flag: name, expected: typed?.expected ?? null, wrong }
}

describe('the exit code is 2', () => {
  test.each(valuedFlags().map((one) => [`${one.spec.name} --${one.flag}`, one] as const))(
    'of %s with a wrong value, which is named, and what it may be',
    async (id, { spec, flag, expected, wrong }) => {
      expect(wrong.length > 0 ? '' : id).toBe(ANY.has(id) ? id : '')
      for (const value of wrong) {
        const beside = BESIDE[id] ?? BESIDE[spec.name] ?? []
        const argv = [...spec.name.split(' '), ...wordsOf(spec), ...beside, `--${flag}=${value}`]
        const { exitCode, stderr } = await cli.run(argv)
        expect([argv, exitCode, stderr]).toEqual([argv, 2, expect.stringContaining(`--${flag}`)])
        if (expected !== null) expect(stderr).toContain(` is not ${expected}`)
      }
    },
  )

  test.each(
    COMMANDS.filter(({ words }) => words.some((word) => !word.startsWith('['))).map((spec) => [spec.name, spec]),
  )('of %s without what it needs, which is named', async (name, { words }) => {
    const { exitCode, stderr } = await cli.run(name.split(' '))
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${name} needs ${words[0]}.`)])
  })

  test.each(COMMANDS.filter(({ name }) => name !== 'help').map(({ name }) => name))(
    'of %s with a flag that it does not have',
    async (name) => {
      const { exitCode, stderr } = await cli.run([...name.split(' '), '--zebra'])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--zebra is not a flag of this command.')])
    },
  )
})

describe('the exit code is 1', () => {
  const ofOne = COMMANDS.filter(({ words }) => /^\[?APP\]?$/.test(words[0] ?? ''))
  test.each(ofOne.map((spec) => [spec.name, spec] as const))(
    'of %s for an application that is not there, which is named with one that is near',
    async (name, spec) => {
      const given: Readonly<Record<string, readonly string[]>> = {
        import: [file],
        'app apns': ['--certificate', 'c.p12'],
        'app fcm': ['--service-account', 's.json'],
        'app webpush-key': ['vapid.json'],
        'hook create': ['orders'],
        doctor: ['--offline'],
        'user show': ['ann'],
        'user erase': ['ann', '--yes'],
      }
      const argv = [...name.split(' '), 'Shp', ...(given[name] ?? []), ...(BESIDE[spec.name] ?? [])]
      expect(await cli.run(argv)).toEqual(
        refused(1, `There is no application "Shp" in ${cli.data}: bellhop app list lists them. Did you mean Shop?`),
      )
    },
  )

  test.each([
    [['app', 'create', 'Shop'], 'An application named "Shop" already exists: choose another name.'],
    [['app', 'fcm', 'Shop', '--service-account', 'none.json'], 'The file none.json '],
    [['app', 'apns', 'Shop', '--certificate', 'none.p12'], 'The file none.p12 '],
    [['cancel', '019a9f7e-3c1b-7000-8000-000000000000'], 'There is no push 019a9f7e-3c1b-7000-8000-000000000000 in '],
    [['devices', 'Shop', '--after', 'abcdefgh'], '--after: no device of this application has this token.'],
    [['import', 'Shop', '/none/devices.csv'], '/none/devices.csv cannot be read: there is no such file.'],
    [['export', 'Shop', '/none/devices.jsonl'], '/none/devices.jsonl'],
    [['backup', '/none/b.db'], '/none'],
    [['backup', 'list', '/none/'], 'There is no folder /none/'],
    [['backup', 'verify', '/none/b.db'], 'There is no file /none/b.db.'],
    [['restore', '/none/b.db'], '/none/b.db'],
    [['health', '--admin-listen', '127.0.0.1:1'], 'Nothing answers at http://127.0.0.1:1/healthz'],
    [['pushes', 'Shop', '--data', '/none'], 'There is no Bellhop database in /none'],
  ])('of %j, which the world refuses', async (argv, sentence) => {
    const { exitCode, stderr } = await cli.run(argv)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})
