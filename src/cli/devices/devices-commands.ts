import { choice, integer } from '../../settings/setting-type.ts'
import { dataFlags, jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { platformFlag } from '../push/platform-flag.ts'

const STATE = choice('registered', 'gone', 'quarantined')

/** The devices of an application, and what they were sent. */
export const DEVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'devices',
    words: ['APP'],
    summary: 'list devices, in the order of their registration',
    changes: null,
    flags: [
      { name: 'tag', placeholder: 'T', list: true, doc: 'with one of these tags' },
      { name: 'alias', placeholder: 'A', doc: 'the one with this alias' },
      { name: 'user', placeholder: 'U', doc: 'those of this user' },
      {
        name: 'token',
        placeholder: 'T',
        doc: 'the one with this token, or those whose token begins so (8 characters or more)',
      },
      platformFlag,
      {
        name: 'state',
        placeholder: STATE.placeholder,
        type: STATE,
        doc: 'default registered; with --alias, --user or --token any',
      },
      { name: 'limit', placeholder: 'N', type: integer(1, 10_000), doc: 'so many at the most (default 50)' },
      { name: 'after', placeholder: 'TOKEN', doc: 'those behind this one' },
      { name: 'full', placeholder: null, doc: 'show tokens from end to end' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each device' },
      ...dataFlags,
    ],
    exclusive: [['tag', 'alias', 'user', 'token']],
    examples: ['bellhop devices "Corner Shop" --tag bread'],
    load: () => import('./devices-command.ts'),
  },
  {
    name: 'devices restore',
    words: ['APP'],
    summary: 'bring back devices that a gateway has declared dead by mistake, as they were',
    changes: { action: 'restore devices' },
    flags: [
      {
        name: 'since',
        placeholder: 'TIME',
        doc: 'those that left since then: 2026-12-24T09:00:00Z, or 2h for 2 hours ago',
      },
      { name: 'until', placeholder: 'TIME', doc: 'and not after that (default: now)' },
      { name: 'reason', placeholder: 'R', list: true, doc: "for this reason, in the gateway's word (default: any)" },
      platformFlag,
      { name: 'dry-run', placeholder: null, doc: 'change nothing: show how many left for which reason' },
      { name: 'yes', placeholder: null, doc: 'yes, restore them' },
      jsonFlag,
      ...dataFlags,
    ],
    exclusive: [['yes', 'dry-run']],
    examples: ['bellhop devices restore "Corner Shop" --since 2h --reason BadDeviceToken --yes'],
    load: () => import('./devices-restore-command.ts'),
  },
  {
    name: 'labels',
    words: ['APP'],
    summary: 'show what uses up the limit of tags and types, or clear what only newcomers have',
    changes: { action: 'clear labels', onlyWith: ['clear-unproven'] },
    flags: [
      {
        name: 'clear-unproven',
        placeholder: null,
        doc: 'take off devices the names that only newcomers have: devices that no gateway has accepted a push for',
      },
      { ...platformFlag, doc: 'count its devices as newcomers, even if no push was ever accepted on it' },
      { name: 'limit', placeholder: 'N', type: integer(1, 10_000), doc: 'rows of each table (default 20)' },
      { name: 'yes', placeholder: null, doc: 'yes, clear them' },
      jsonFlag,
      ...dataFlags,
    ],
    examples: ['bellhop labels "Corner Shop"', 'bellhop labels "Corner Shop" --clear-unproven --yes'],
    load: () => import('./labels-command.ts'),
  },
  {
    name: 'user show',
    words: ['APP', 'USER'],
    summary: 'show the devices of a user, in whatever state',
    changes: null,
    flags: [{ name: 'json', placeholder: null, doc: 'print a line of JSON for each device' }, ...dataFlags],
    examples: ['bellhop user show "Corner Shop" ann@shop.example'],
    load: () => import('./user-show-command.ts'),
  },
  {
    name: 'user erase',
    words: ['APP', 'USER'],
    summary: 'erase the devices of a user, and what is stored about them',
    changes: { action: 'erase user' },
    flags: [{ name: 'yes', placeholder: null, doc: 'yes, erase them' }, jsonFlag, ...dataFlags],
    examples: ['bellhop user erase "Corner Shop" ann@shop.example --yes'],
    load: () => import('./user-erase-command.ts'),
  },
  {
    name: 'stats',
    words: ['[APP]'],
    summary: 'show what was sent, received and opened on each day, and in which languages',
    changes: null,
    flags: [
      { name: 'days', placeholder: 'N', type: integer(1, 366), doc: 'so many, today included (default 14)' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each application' },
      ...dataFlags,
    ],
    examples: ['bellhop stats "Corner Shop" --days 30'],
    load: () => import('./stats-command.ts'),
  },
]
