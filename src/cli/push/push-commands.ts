import { integer } from '../../settings/setting-type.ts'
import { dataFlags, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'
import { OPTION_FLAGS } from '../../notification/options.ts'
import { platformFlag } from './platform-flag.ts'

const adminListenFlag: FlagSpec = {
  name: 'admin-listen',
  setting: 'adminListen',
  placeholder: 'HOST:PORT',
  doc: 'where a running server says why a push waits (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)',
}

const SAID = 'MESSAGE, without a flag'
const MESSAGE = { message: SAID, msg: SAID, text: SAID, body: SAID, m: SAID }
const LATER = { at: '--send-at TIME', schedule: '--send-at TIME', delay: '--send-at SECONDS' }

/** Sending, and what becomes of it. */
export const PUSH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'push',
    words: ['APP', '[MESSAGE]'],
    summary: 'send a push and watch it go out; whom it is for must be said',
    changes: { action: 'push' },
    flags: [
      { name: 'all', placeholder: null, doc: 'to every device' },
      { name: 'tag', placeholder: 'T', list: true, doc: 'to devices with one of these tags' },
      { name: 'alias', placeholder: 'A', doc: 'to the device with this alias' },
      { name: 'user', placeholder: 'U', list: true, doc: 'to the devices of these users' },
      { name: 'token', placeholder: 'T', doc: 'to one device, by its token or the first 8 characters of it, or more' },
      { name: 'where', placeholder: 'JSON', doc: 'to devices for which this expression holds' },
      { name: 'except-tag', placeholder: 'T', list: true, doc: 'but not to devices with one of these tags' },
      platformFlag,
      ...OPTION_FLAGS,
      { name: 'fields', placeholder: 'JSON', doc: 'more fields of POST /push/all, such as {"silent": true}' },
      { name: 'send-at', placeholder: 'TIME', doc: 'later: 2026-12-24T09:00:00+01:00, or seconds from now' },
      { name: 'dry-run', placeholder: null, doc: 'send nothing: show to whom it would go and how large it is' },
      { name: 'confirm', placeholder: 'N', doc: 'it is for so many devices: needed above confirm-above' },
      { name: 'yes', placeholder: null, doc: 'instead of it: to however many' },
      { name: 'no-wait', placeholder: null, doc: 'do not watch it go out' },
      jsonFlag,
      adminListenFlag,
      ...dataFlags,
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
    summary: 'list pushes, the newest first, and how far they are; or all of one, also by language',
    changes: null,
    flags: [
      { name: 'scheduled', placeholder: null, doc: 'those that wait for their time, the soonest first' },
      { name: 'limit', placeholder: 'N', type: integer(1, 10_000), doc: 'so many at the most (default 20)' },
      { name: 'after', placeholder: 'PUSH', doc: 'those that are older than this one' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each push' },
      adminListenFlag,
      ...dataFlags,
    ],
    exclusive: [['scheduled', 'after']],
    examples: ['bellhop pushes "Corner Shop" --scheduled', 'bellhop pushes "Corner Shop" 019a9f7e'],
    load: () => import('./pushes-command.ts'),
  },
  {
    name: 'cancel',
    words: ['PUSH'],
    summary: 'call off a push that waits or is being sent; the beginning of its id will do',
    changes: { action: 'cancel' },
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop cancel 019a9f7e-3c1b-7000-8000-000000000000'],
    load: () => import('./cancel-command.ts'),
  },
  {
    name: 'resend',
    words: ['PUSH'],
    summary: 'send a push that is over again, to those it failed for; the beginning of its id will do',
    changes: { action: 'resend' },
    flags: [
      { name: 'dry-run', placeholder: null, doc: 'send nothing: show to whom it would go and how large it is' },
      {
        name: 'confirm',
        placeholder: 'N',
        type: integer(0, Number.MAX_SAFE_INTEGER),
        doc: 'it is for so many devices: needed above confirm-above',
      },
      { name: 'yes', placeholder: null, doc: 'instead of it: to however many' },
      jsonFlag,
      ...dataFlags,
    ],
    examples: ['bellhop resend 019a9f7e-3c1b-7000-8000-000000000000 --dry-run'],
    load: () => import('./resend-command.ts'),
  },
  {
    name: 'explain',
    words: ['PUSH', 'TOKEN'],
    summary: 'say why a device got a push, or did not; the beginnings of both will do',
    changes: null,
    flags: [platformFlag, jsonFlag, adminListenFlag, ...dataFlags],
    examples: ['bellhop explain 019a9f7e-3c1b-7000-8000-000000000000 3f8a09c1'],
    load: () => import('./explain-command.ts'),
  },
  {
    name: 'tail',
    words: ['[APP]'],
    summary: 'show what happens, as it happens, until Ctrl-C; of the simulator also what it was sent',
    changes: null,
    flags: [
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each event' },
      adminListenFlag,
      ...dataFlags,
    ],
    examples: ['bellhop tail "Corner Shop"'],
    load: () => import('../tail/tail-command.ts'),
  },
]
