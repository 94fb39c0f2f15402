import { integer } from '../../settings/setting-type.ts'
import { OPTION_FLAGS } from '../../notification/options.ts'
import { jsonFlag, jsonLinesFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { platformFlag } from './platform-flag.ts'

const SAID = 'MESSAGE without a flag'
const MESSAGE = { message: SAID, msg: SAID, text: SAID, body: SAID, m: SAID }
const LATER = { at: '--send-at TIME', schedule: '--send-at TIME', delay: '--send-at SECONDS' }

export const PUSH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'push',
    words: ['APP', '[MESSAGE]'],
    on: 'application',
    summary: 'send a push and follow its progress; a target is required',
    changes: { action: 'push' },
    flags: [
      switchFlag('all', 'to every device'),
      valueFlag('tag', 'T', 'to devices with any of these tags', { list: true }),
      valueFlag('alias', 'A', 'to the device with this alias'),
      valueFlag('user', 'U', 'to the devices of these users', { list: true }),
      valueFlag('token', 'T', 'to one device, by its token or a prefix of 8 characters or more'),
      valueFlag('where', 'JSON', 'to devices that match this expression'),
      valueFlag('except-tag', 'T', 'but not to devices with any of these tags', { list: true }),
      platformFlag,
      ...OPTION_FLAGS,
      valueFlag('fields', 'JSON', 'more fields of POST /push/all, such as {"silent": true}'),
      valueFlag('send-at', 'TIME', 'send at this time: 2026-12-24T09:00:00+01:00, or seconds from now'),
      switchFlag('dry-run', 'show the audience and size without sending'),
      valueFlag('confirm', 'N', 'expected number of devices; required above confirm-above'),
      switchFlag('yes', 'skip that check'),
      switchFlag('no-wait', 'do not follow its progress'),
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
      'The exit code is also 1 if it failed for every device that was tried, or if it made no progress for 30 seconds without a terminal.',
    elsewhere: { ...MESSAGE, ...LATER, to: '--token T', device: '--token T', url: '--link URL' },
    load: () => import('./push-command.ts'),
  },
  {
    name: 'pushes',
    words: ['APP', '[PUSH]'],
    on: 'application',
    summary: 'list pushes with their progress, newest first, or show one in full',
    changes: null,
    flags: [
      switchFlag('scheduled', 'only scheduled pushes, soonest first'),
      typedFlag('limit', integer(1, 10_000), 'show at most N (default 20)'),
      valueFlag('after', 'PUSH', 'pushes older than this one'),
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
    summary: 'cancel a push, or withdraw it; PUSH may be a unique prefix of its ID',
    changes: { action: 'cancel' },
    flags: [switchFlag('shown', 'also remove its notification from the phones that show it'), jsonFlag],
    examples: ['bellhop cancel 019a9f7e-3c1b-7000-8000-000000000000', 'bellhop cancel 019a9f7e --shown'],
    load: () => import('./cancel-command.ts'),
  },
  {
    name: 'resend',
    words: ['PUSH'],
    on: 'data',
    summary: 'resend a finished push to the devices it failed for; PUSH may be a unique prefix of its ID',
    changes: { action: 'resend' },
    flags: [
      switchFlag('dry-run', 'show the audience and size without sending'),
      typedFlag(
        'confirm',
        integer(0, Number.MAX_SAFE_INTEGER),
        'expected number of devices; required above confirm-above',
      ),
      switchFlag('yes', 'skip that check'),
      jsonFlag,
    ],
    examples: ['bellhop resend 019a9f7e-3c1b-7000-8000-000000000000 --dry-run'],
    load: () => import('./resend-command.ts'),
  },
  {
    name: 'explain',
    words: ['PUSH', 'TOKEN'],
    on: 'data',
    summary: 'explain why a device got a push or did not; both may be unique prefixes',
    changes: null,
    flags: [platformFlag, jsonFlag],
    examples: ['bellhop explain 019a9f7e-3c1b-7000-8000-000000000000 3f8a09c1'],
    load: () => import('./explain-command.ts'),
  },
  {
    name: 'tail',
    words: ['[APP]'],
    on: 'data',
    summary: 'follow registrations, pushes and opens live (Ctrl-C to stop); with the simulator, also what it received',
    changes: null,
    flags: [jsonLinesFlag('event')],
    examples: ['bellhop tail "Corner Shop"'],
    load: () => import('../tail/tail-command.ts'),
  },
]
