import { choice, integer } from '../../settings/setting-type.ts'
import { jsonFlag, jsonLinesFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { platformFlag } from '../push/platform-flag.ts'

const STATE = choice('registered', 'gone', 'quarantined')

export const DEVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'devices',
    words: ['APP'],
    on: 'application',
    summary: 'list devices, in the order of their registration',
    changes: null,
    flags: [
      valueFlag('tag', 'T', 'with one of these tags', { list: true }),
      valueFlag('alias', 'A', 'the one with this alias'),
      valueFlag('user', 'U', 'those of this user'),
      valueFlag('token', 'T', 'the one with this token, or those whose token begins so (8 characters or more)'),
      platformFlag,
      valueFlag('state', STATE.placeholder, 'default registered; with --alias, --user or --token any', { type: STATE }),
      valueFlag('limit', 'N', 'how many at most (default 50)', { type: integer(1, 10_000) }),
      valueFlag('after', 'TOKEN', 'those behind this one'),
      switchFlag('full', 'show tokens from end to end'),
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
    summary: 'bring back devices that a gateway has declared dead by mistake, as they were',
    changes: { action: 'restore devices' },
    flags: [
      valueFlag('since', 'TIME', 'those that left since then: 2026-12-24T09:00:00Z, or 2h for 2 hours ago'),
      valueFlag('until', 'TIME', 'and not after that (default: now)'),
      valueFlag('reason', 'R', "for this reason, in the gateway's word (default: any)", { list: true }),
      platformFlag,
      switchFlag('dry-run', 'change nothing: show how many left for which reason'),
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
    summary: 'show what uses up the limit of tags and types, or clear what only newcomers have',
    changes: { action: 'clear labels', onlyWith: ['clear-unproven'] },
    flags: [
      switchFlag(
        'clear-unproven',
        'take off devices the names that only newcomers have: devices that no gateway has accepted a push for',
      ),
      { ...platformFlag, doc: 'count its devices as newcomers, even if no push was ever accepted on it' },
      valueFlag('limit', 'N', 'rows of each table (default 20)', { type: integer(1, 10_000) }),
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
    summary: 'show the devices of a user, in whatever state',
    changes: null,
    flags: [jsonLinesFlag('device')],
    examples: ['bellhop user show "Corner Shop" ann@shop.example'],
    load: () => import('./user-show-command.ts'),
  },
  {
    name: 'user erase',
    words: ['APP', 'USER'],
    on: 'application',
    summary: 'erase the devices of a user, and what is stored about them',
    changes: { action: 'erase user' },
    flags: [switchFlag('yes', 'yes, erase them'), jsonFlag],
    examples: ['bellhop user erase "Corner Shop" ann@shop.example --yes'],
    load: () => import('./user-erase-command.ts'),
  },
  {
    name: 'stats',
    words: ['[APP]'],
    on: 'data',
    summary: 'show what was sent, received and opened on each day, and in which languages',
    changes: null,
    flags: [
      valueFlag('days', 'N', 'so many, today included (default 14)', { type: integer(1, 366) }),
      jsonLinesFlag('application'),
    ],
    examples: ['bellhop stats "Corner Shop" --days 30'],
    load: () => import('./stats-command.ts'),
  },
]
