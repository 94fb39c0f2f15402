import { choice, integer } from '../../settings/setting-type.ts'
import { jsonFlag, jsonLinesFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { platformFlag } from '../push/platform-flag.ts'

const STATE = choice('registered', 'gone', 'quarantined')

export const DEVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'devices',
    words: ['APP'],
    on: 'application',
    summary: 'list devices in order of registration',
    changes: null,
    flags: [
      valueFlag('tag', 'T', 'only devices with any of these tags', { list: true }),
      valueFlag('alias', 'A', 'only the device with this alias'),
      valueFlag('user', 'U', 'those of this user'),
      valueFlag('token', 'T', 'only tokens that start with this (8 characters or more)'),
      platformFlag,
      typedFlag('state', STATE, 'default registered; with --alias, --user or --token any'),
      typedFlag('limit', integer(1, 10_000), 'show at most N (default 50)'),
      valueFlag('after', 'TOKEN', 'devices after this one'),
      switchFlag('full', 'show full tokens'),
      jsonLinesFlag('device'),
    ],
    exclusive: [['tag', 'alias', 'user', 'token']],
    examples: ['bellhop devices "Corner Shop" --tag bread'],
    load: () => import('./devices-command.ts'),
  },
  {
    name: 'devices restore',
    words: ['APP'],
    on: 'application',
    summary: 'restore devices that a gateway reported as unregistered by mistake',
    changes: { action: 'restore devices' },
    flags: [
      valueFlag('since', 'TIME', 'devices that left since this time: 2026-12-24T09:00:00Z, or 2h for 2 hours ago'),
      valueFlag('until', 'TIME', 'and before this time (default: now)'),
      valueFlag('reason', 'R', 'only this reason, as the gateway words it (default: any)', { list: true }),
      platformFlag,
      switchFlag('dry-run', 'show how many devices left and why, without changing anything'),
      switchFlag('yes', 'yes, restore them'),
      jsonFlag,
    ],
    exclusive: [['yes', 'dry-run']],
    examples: ['bellhop devices restore "Corner Shop" --since 2h --reason BadDeviceToken --yes'],
    load: () => import('./devices-restore-command.ts'),
  },
  {
    name: 'labels',
    words: ['APP'],
    on: 'application',
    summary: 'show which tags and types count against the limit, or clear those that only new devices have',
    changes: { action: 'clear labels', onlyWith: ['clear-unproven'] },
    flags: [
      switchFlag(
        'clear-unproven',
        'remove names that only new devices have (devices no gateway has accepted a push for)',
      ),
      { ...platformFlag, doc: 'count its devices as new even if no push was ever accepted on it' },
      typedFlag('limit', integer(1, 10_000), 'rows per table (default 20)'),
      switchFlag('yes', 'yes, clear them'),
      jsonFlag,
    ],
    examples: ['bellhop labels "Corner Shop"', 'bellhop labels "Corner Shop" --clear-unproven --yes'],
    load: () => import('./labels-command.ts'),
  },
  {
    name: 'user show',
    words: ['APP', 'USER'],
    on: 'application',
    summary: "show a user's devices, including unregistered ones",
    changes: null,
    flags: [jsonLinesFlag('device')],
    examples: ['bellhop user show "Corner Shop" ann@shop.example'],
    load: () => import('./user-show-command.ts'),
  },
  {
    name: 'user erase',
    words: ['APP', 'USER'],
    on: 'application',
    summary: "delete a user's devices and everything stored about them",
    changes: { action: 'erase user' },
    flags: [switchFlag('yes', 'confirm the deletion'), jsonFlag],
    examples: ['bellhop user erase "Corner Shop" ann@shop.example --yes'],
    load: () => import('./user-erase-command.ts'),
  },
  {
    name: 'stats',
    words: ['[APP]'],
    on: 'data',
    summary: 'show what was sent, received and opened by day and by language',
    changes: null,
    flags: [
      typedFlag('days', integer(1, 366), 'number of days including today (default 14)'),
      jsonLinesFlag('application'),
    ],
    examples: ['bellhop stats "Corner Shop" --days 30'],
    load: () => import('./stats-command.ts'),
  },
]
