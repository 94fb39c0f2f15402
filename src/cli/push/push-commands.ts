import { integer } from '../../settings/setting-type.ts'
import { OPTION_FLAGS } from '../../notification/options.ts'
import { jsonFlag, jsonLinesFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { platformFlag } from './platform-flag.ts'

const SAID = 'MESSAGE, without a flag'
const MESSAGE = { message: SAID, msg: SAID, text: SAID, body: SAID, m: SAID }
const LATER = { at: '--send-at TIME', schedule: '--send-at TIME', delay: '--send-at SECONDS' }

export const PUSH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'push',
    words: ['APP', '[MESSAGE]'],
    on: 'application',
    summary: 'send a push and watch it go out; whom it is for must be said',
    changes: { action: 'push' },
    flags: [
      switchFlag('all', 'to every device'),
      valueFlag('tag', 'T', 'to devices with one of these tags', { list: true }),
      valueFlag('alias', 'A', 'to the device with this alias'),
      valueFlag('user', 'U', 'to the devices of these users', { list: true }),
      valueFlag('token', 'T', 'to one device, by its token or the first 8 characters of it, or more'),
      valueFlag('where', 'JSON', 'to devices for which this expression holds'),
      valueFlag('except-tag', 'T', 'but not to devices with one of these tags', { list: true }),
      platformFlag,
      ...OPTION_FLAGS,
      valueFlag('fields', 'JSON', 'more fields of POST /push/all, such as {"silent": true}'),
      valueFlag('send-at', 'TIME', 'later: 2026-12-24T09:00:00+01:00, or seconds from now'),
      switchFlag('dry-run', 'send nothing: show to whom it would go and how large it is'),
      valueFlag('confirm', 'N', 'it is for so many devices: needed above confirm-above'),
      switchFlag('yes', 'instead of it: to however many'),
      switchFlag('no-wait', 'do not watch it go out'),
      jsonFlag,
    ],
    examples: [
      'bellhop push "Corner Shop" "Fresh bread at nine" --tag bread',
      'bellhop push "Corner Shop" "Your cake is ready" --title Oven --user user-17 --badge +1',
      'bellhop push "Corner Shop" "Closed tomorrow" --all --dry-run',
      'bellhop push "Corner Shop" "Merry Christmas" --all --send-at 2026-12-24T09:00:00+01:00',
      `bellhop push "Corner Shop" "We miss you" --where '{"not": {"seen_within": 30}}'`,
    ],
    exitCodes:
      'The exit code is 1 as well where it failed for all that were tried, and where nobody watches a terminal and it has stood still for 30 seconds.',
    elsewhere: { ...MESSAGE, ...LATER, to: '--token T', device: '--token T', url: '--link URL' },
    load: () => import('./push-command.ts'),
  },
  {
    name: 'pushes',
    words: ['APP', '[PUSH]'],
    on: 'application',
    summary: 'list pushes, the newest first, and how far they are; or all of one, also by language',
    changes: null,
    flags: [
      switchFlag('scheduled', 'those that wait for their time, the soonest first'),
      valueFlag('limit', 'N', 'how many at most (default 20)', { type: integer(1, 10_000) }),
      valueFlag('after', 'PUSH', 'those that are older than this one'),
      jsonLinesFlag('push'),
    ],
    exclusive: [['scheduled', 'after']],
    examples: ['bellhop pushes "Corner Shop" --scheduled', 'bellhop pushes "Corner Shop" 019a9f7e'],
    load: () => import('./pushes-command.ts'),
  },
  {
    name: 'cancel',
    words: ['PUSH'],
    on: 'data',
    summary: 'call off a push that waits or is being sent; the beginning of its id will do',
    changes: { action: 'cancel' },
    flags: [jsonFlag],
    examples: ['bellhop cancel 019a9f7e-3c1b-7000-8000-000000000000'],
    load: () => import('./cancel-command.ts'),
  },
  {
    name: 'resend',
    words: ['PUSH'],
    on: 'data',
    summary: 'send a push that is over again, to those it failed for; the beginning of its id will do',
    changes: { action: 'resend' },
    flags: [
      switchFlag('dry-run', 'send nothing: show to whom it would go and how large it is'),
      valueFlag('confirm', 'N', 'it is for so many devices: needed above confirm-above', {
        type: integer(0, Number.MAX_SAFE_INTEGER),
      }),
      switchFlag('yes', 'instead of it: to however many'),
      jsonFlag,
    ],
    examples: ['bellhop resend 019a9f7e-3c1b-7000-8000-000000000000 --dry-run'],
    load: () => import('./resend-command.ts'),
  },
  {
    name: 'explain',
    words: ['PUSH', 'TOKEN'],
    on: 'data',
    summary: 'say why a device got a push, or did not; the beginnings of both will do',
    changes: null,
    flags: [platformFlag, jsonFlag],
    examples: ['bellhop explain 019a9f7e-3c1b-7000-8000-000000000000 3f8a09c1'],
    load: () => import('./explain-command.ts'),
  },
  {
    name: 'tail',
    words: ['[APP]'],
    on: 'data',
    summary: 'show what happens, as it happens, until Ctrl-C; of the simulator also what it was sent',
    changes: null,
    flags: [jsonLinesFlag('event')],
    examples: ['bellhop tail "Corner Shop"'],
    load: () => import('../tail/tail-command.ts'),
  },
]
