import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from '../../settings/table.ts'
import type { SettingName } from '../../settings/table.ts'
import { dataFlag, jsonFlag, switchFlag, valueFlag } from '../command.ts'
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
      'The exit code is 3 where a stop could not write down what was sent, which is then sent again, and 4 where the database was removed or replaced.',
    load: () => import('./serve-command.ts'),
  },
  {
    name: 'demo',
    words: [],
    summary: 'try it without Apple and Google: run the service with three simulated phones, and push to them',
    changes: null,
    flags: [
      switchFlag('once', 'stop when the first push has arrived'),
      valueFlag('data', 'PATH', 'where the data goes (default: a directory that is erased at the end)', {
        setting: 'data',
      }),
      valueFlag('listen', 'HOST:PORT', 'as serve has it (BELLHOP_LISTEN; default 127.0.0.1:8790)', {
        setting: 'listen',
      }),
      valueFlag('admin-listen', 'HOST:PORT', 'as serve has it (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)', {
        setting: 'adminListen',
      }),
    ],
    examples: ['bellhop demo'],
    load: () => import('./demo-command.ts'),
  },
  {
    name: 'health',
    words: [],
    summary: 'ask a running server whether it is well; the exit code says so',
    changes: null,
    flags: [
      switchFlag('ready', 'whether it also does its work, and if not, why'),
      jsonFlag,
      valueFlag('admin-listen', 'HOST:PORT', 'as serve has it (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)', {
        setting: 'adminListen',
      }),
    ],
    examples: ['bellhop health --ready'],
    load: () => import('./health-command.ts'),
  },
  {
    name: 'systemd',
    words: [],
    summary: 'print a unit for systemd that runs serve, confined, with these flags',
    changes: null,
    flags: [
      valueFlag('user', 'NAME', 'who runs it; default one that systemd makes while it runs'),
      // Every user of a machine can read a unit.
      ...SETTING_NAMES.filter((name) => SETTINGS[name].secret !== true).map((name) =>
        settingFlag(name, name === 'data' ? 'as for serve; default /var/lib/bellhop' : 'as for serve'),
      ),
    ],
    examples: ['bellhop systemd --listen 127.0.0.1:8790 --trusted-proxies 127.0.0.1'],
    load: () => import('./systemd-command.ts'),
  },
]

export const DOCTOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'doctor',
    words: ['[APP]'],
    summary: 'look at everything that serve needs, and say what to change; it changes nothing',
    changes: { action: 'send test push', onlyWith: ['send'], evenWithoutRows: true },
    flags: [
      jsonFlag,
      switchFlag('offline', 'ask neither Apple nor Google'),
      switchFlag('full', 'also look into the indexes of the database, which takes ten times as long'),
      valueFlag(
        'send',
        'TOKEN',
        'send a silent and a shown push to this device of your own, and show what the gateway answers',
      ),
      switchFlag('yes', 'with --send: do not ask first'),
      settingFlag('data', dataFlag.doc),
      // All, so that it takes the command line of `serve` unchanged.
      ...SETTING_NAMES.filter((name) => name !== 'data').map((name) =>
        settingFlag(name, `as serve has it (${variableOf(name)})`),
      ),
    ],
    examples: ['bellhop doctor "Corner Shop"', 'bellhop doctor "Corner Shop" --send 3f8a09c1 --yes'],
    load: () => import('./doctor-command.ts'),
  },
]

export const READING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'manual',
    words: ['[TOPIC]'],
    choices: async () => (await import('../../manual/pages.ts')).PAGES.map(({ topic }) => topic),
    summary: 'show a page of the manual, or which there are',
    changes: null,
    flags: [valueFlag('search', 'WORD', 'list the parts that speak of it')],
    examples: ['bellhop manual server', 'bellhop manual', 'bellhop manual --search alias'],
    load: () => import('./manual-command.ts'),
  },
  {
    name: 'config',
    words: [],
    summary: 'show every setting with its value and where that came from, and check a command line of serve',
    changes: null,
    settings: true,
    flags: [jsonFlag],
    examples: ['bellhop config --listen 127.0.0.1:8790'],
    load: () => import('./config-command.ts'),
  },
  {
    name: 'completions',
    words: ['bash|zsh|fish'],
    summary: 'print the script that completes commands and flags in a shell',
    changes: null,
    flags: [],
    examples: ['bellhop completions bash'],
    load: () => import('../completion/completions-command.ts'),
  },
  {
    name: 'help',
    words: [],
    summary: 'show this, or the help of a command',
    changes: null,
    flags: [],
    examples: ['bellhop help app create'],
    load: () => import('./help-command.ts'),
  },
  {
    name: 'version',
    words: [],
    summary: 'show the version, and what it is built with',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop version'],
    load: () => import('./version-command.ts'),
  },
  {
    name: 'licenses',
    words: [],
    summary: 'show the licences of Bellhop and of everything inside its executable',
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
