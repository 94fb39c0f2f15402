import { publicOrigin } from '../../settings/network-types.ts'
import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from '../../settings/table.ts'
import type { SettingName } from '../../settings/table.ts'
import { dataFlag, fileFlag, jsonFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'serve',
    words: [],
    summary: 'run the service',
    changes: null,
    settings: true,
    flags: [],
    examples: ['bellhop serve --listen 127.0.0.1:8790 --data ./bellhop-data'],
    exitCodes:
      'The exit code is 3 if a stop could not store what was sent (it is sent again), and 4 if the database was removed or replaced.',
    load: () => import('./serve-command.ts'),
  },
  {
    name: 'demo',
    words: [],
    summary: 'run a demo with three simulated phones, without accounts at Apple or Google',
    changes: null,
    flags: [
      switchFlag('once', 'stop after the first push has arrived'),
      valueFlag('data', 'PATH', 'data directory (default: a temporary one)', {
        setting: 'data',
      }),
      valueFlag('listen', 'HOST:PORT', 'as for serve (BELLHOP_LISTEN; default 127.0.0.1:8790)', {
        setting: 'listen',
      }),
      valueFlag('admin-listen', 'HOST:PORT', 'as for serve (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)', {
        setting: 'adminListen',
      }),
    ],
    examples: ['bellhop demo'],
    load: () => import('./demo-command.ts'),
  },
  {
    name: 'health',
    words: [],
    summary: 'check a running server (exit code 0 = healthy)',
    changes: null,
    flags: [
      switchFlag('ready', 'also check readiness, and say what is wrong'),
      jsonFlag,
      valueFlag('admin-listen', 'HOST:PORT', 'as for serve (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)', {
        setting: 'adminListen',
      }),
    ],
    examples: ['bellhop health --ready'],
    load: () => import('./health-command.ts'),
  },
  {
    name: 'systemd',
    words: [],
    summary: 'print a sandboxed systemd unit that runs serve with these flags',
    changes: null,
    flags: [
      valueFlag('user', 'NAME', 'user that runs it (default: a dynamic user of systemd)'),
      valueFlag('litestream', 'URL', 'also print a unit and configuration of Litestream 0.3, to s3://bucket/path'),
      // Every user of the machine can read a unit.
      ...SETTING_NAMES.filter((name) => SETTINGS[name].secret !== true).map((name) =>
        settingFlag(name, name === 'data' ? 'as for serve; default /var/lib/bellhop' : 'as for serve'),
      ),
    ],
    examples: [
      'bellhop systemd --listen 127.0.0.1:8790 --trusted-proxies 127.0.0.1',
      'bellhop systemd --litestream s3://my-bucket/bellhop-live',
    ],
    load: () => import('./systemd-command.ts'),
  },
]

export const DOCTOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'doctor',
    words: ['[APP]'],
    summary: 'check everything that serve needs and say what to fix; changes nothing',
    changes: { action: 'send test push', onlyWith: ['send'], evenWithoutRows: true },
    flags: [
      jsonFlag,
      switchFlag('offline', 'do not contact any gateway'),
      switchFlag('full', "also check the database's indexes (about ten times slower)"),
      switchFlag('moving', 'only check how far APP is on its way from another service'),
      valueFlag(
        'send',
        'TOKEN',
        "send a silent and a visible push to this device of yours and show the gateway's answers",
      ),
      switchFlag('yes', 'with --send, do not ask for confirmation'),
      settingFlag('data', dataFlag.doc),
      // To take the command line of `serve` unchanged.
      ...SETTING_NAMES.filter((name) => name !== 'data').map((name) =>
        settingFlag(name, `as for serve (${variableOf(name)})`),
      ),
    ],
    exclusive: [['moving', 'send']],
    examples: ['bellhop doctor "Corner Shop"', 'bellhop doctor "Corner Shop" --send 3f8a09c1 --yes'],
    load: () => import('./doctor-command.ts'),
  },
]

export const READING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'manual',
    words: ['[TOPIC]'],
    choices: async () => (await import('../../manual/pages.ts')).PAGES.map(({ topic }) => topic),
    summary: 'show a page of the manual, or list all pages',
    changes: null,
    flags: [valueFlag('search', 'WORD', 'list the sections that contain it')],
    examples: ['bellhop manual server', 'bellhop manual', 'bellhop manual --search alias'],
    load: () => import('./manual-command.ts'),
  },
  {
    name: 'client',
    words: ['KIND', 'APP_ID'],
    choices: async () => Object.keys((await import('../../client/libraries.ts')).LIBRARIES),
    summary:
      'write the client library for an app (web, expo, kotlin, swift, flutter) with the server and application ID filled in',
    changes: null,
    flags: [
      typedFlag('url', publicOrigin, 'where apps reach the server (default: BELLHOP_PUBLIC_URL)'),
      fileFlag('to', 'folder to write to (default bellhop-KIND)', 'FOLDER'),
      switchFlag('force', 'replace files that differ, as for a newer version'),
    ],
    examples: ['bellhop client web app_abcdefghijkl2345 --url https://push.example.com --to src/bellhop'],
    load: () => import('./client-command.ts'),
  },
  {
    name: 'backend',
    words: ['LANGUAGE'],
    choices: async () => Object.keys((await import('../../client/backends.ts')).BACKENDS),
    summary: 'print the file with which a backend sends pushes, proves users and checks webhooks',
    changes: null,
    flags: [
      fileFlag('to', 'file to write it to (default: standard output)'),
      switchFlag('force', 'replace a file that differs, as for a newer version'),
    ],
    examples: ['bellhop backend python', 'bellhop backend php --to app/Bellhop.php'],
    load: () => import('./backend-command.ts'),
  },
  {
    name: 'config',
    words: [],
    summary: 'show every setting, its value and its source, and check a command line of serve',
    changes: null,
    settings: true,
    flags: [jsonFlag],
    examples: ['bellhop config --listen 127.0.0.1:8790'],
    load: () => import('./config-command.ts'),
  },
  {
    name: 'completions',
    words: ['bash|zsh|fish'],
    summary: 'print the completion script for a shell',
    changes: null,
    flags: [],
    examples: ['bellhop completions bash'],
    load: () => import('../completion/completions-command.ts'),
  },
  {
    name: 'help',
    words: [],
    summary: "show this list, or a command's help",
    changes: null,
    flags: [],
    examples: ['bellhop help app create'],
    load: () => import('./help-command.ts'),
  },
  {
    name: 'version',
    words: [],
    summary: 'show the version and what it was built with',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop version'],
    load: () => import('./version-command.ts'),
  },
  {
    name: 'licenses',
    words: [],
    summary: 'show the licences of Bellhop and everything in its executable',
    changes: null,
    flags: [],
    examples: ['bellhop licenses'],
    load: () => import('./licenses-command.ts'),
  },
]

function settingFlag(name: SettingName, doc: string): FlagSpec {
  const { flag, placeholder } = SETTINGS[name].type
  const list = flag === 'list' && ({ list: true } as const)
  return { name: flagOf(name), placeholder: flag === 'switch' ? null : placeholder, doc, ...list }
}
