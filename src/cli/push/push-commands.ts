import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

const adminListenFlag: FlagSpec = {
  name: 'admin-listen',
  placeholder: 'HOST:PORT',
  doc: 'where a running server says why a push waits (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)',
}

const platformFlag: FlagSpec = {
  name: 'platform',
  placeholder: 'ios|android',
  doc: 'devices of one platform (default: both)',
}

const SAID = 'MESSAGE, without a flag'
const MESSAGE = { message: SAID, msg: SAID, text: SAID, body: SAID, m: SAID }
const LATER = { at: '--send-at TIME', schedule: '--send-at TIME', delay: '--send-at SECONDS' }

/** Sending, and looking at what there is. */
export const EVERYDAY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'push',
    words: ['APP', '[MESSAGE]'],
    summary: 'send a push and watch it go out; whom it is for must be said',
    flags: [
      { name: 'all', placeholder: null, doc: 'to every device' },
      { name: 'tag', placeholder: 'T', list: true, doc: 'to devices with one of these tags' },
      { name: 'alias', placeholder: 'A', doc: 'to the device with this alias' },
      { name: 'token', placeholder: 'T', doc: 'to one device, by its token or the first 8 characters of it, or more' },
      { name: 'where', placeholder: 'JSON', doc: 'to devices for which this expression holds' },
      { name: 'except-tag', placeholder: 'T', list: true, doc: 'but not to devices with one of these tags' },
      platformFlag,
      { name: 'title', placeholder: 'TEXT', doc: 'the line above the message' },
      { name: 'subtitle', placeholder: 'TEXT', doc: 'the line between them (iOS)' },
      { name: 'sound', placeholder: 'NAME', doc: 'what is heard; none: nothing (default: default)' },
      { name: 'badge', placeholder: 'N', doc: 'the number on the icon: 3, +1 or -1 (default: left alone)' },
      { name: 'link', placeholder: 'URL', doc: 'what the app is to open' },
      { name: 'image', placeholder: 'URL', doc: 'a picture to show' },
      { name: 'payload', placeholder: 'JSON', doc: 'an object for the app' },
      { name: 'collapse', placeholder: 'NAME', doc: 'takes the place of an earlier one with this name' },
      { name: 'ttl', placeholder: 'SECONDS', doc: 'how long it is tried (default 86400)' },
      { name: 'fields', placeholder: 'JSON', doc: 'more fields of POST /push/all, such as {"silent": true}' },
      { name: 'send-at', placeholder: 'TIME', doc: 'later: 2026-12-24T09:00:00+01:00, or seconds from now' },
      { name: 'dry-run', placeholder: null, doc: 'send nothing: show to whom it would go and how large it is' },
      { name: 'confirm', placeholder: 'N', doc: 'it is for so many devices: needed above confirm-above' },
      { name: 'yes', placeholder: null, doc: 'instead of it: to however many' },
      { name: 'no-wait', placeholder: null, doc: 'do not watch it go out' },
      jsonFlag,
      adminListenFlag,
      dataFlag,
    ],
    example: 'bellhop push "Corner Shop" "Fresh bread at nine" --tag bread',
    examples: [
      'bellhop push "Corner Shop" "Your cake is ready" --title Oven --alias user-17 --badge +1',
      'bellhop push "Corner Shop" "Closed tomorrow" --all --dry-run',
      'bellhop push "Corner Shop" "Merry Christmas" --all --send-at 2026-12-24T09:00:00+01:00',
      `bellhop push "Corner Shop" "We miss you" --where '{"not": {"seen_within": 30}}'`,
    ],
    exitCodes:
      'The exit code is 1 as well where it failed for all that were tried, and where nobody watches a terminal and it has stood still for 30 seconds.',
    elsewhere: { ...MESSAGE, ...LATER, to: '--token T', device: '--token T', url: '--link URL' },
  },
  {
    name: 'pushes',
    words: ['APP'],
    summary: 'list pushes, the newest first, and how far they are',
    flags: [
      { name: 'scheduled', placeholder: null, doc: 'those that wait for their time, the soonest first' },
      { name: 'limit', placeholder: 'N', doc: 'so many at the most (default 20)' },
      { name: 'after', placeholder: 'PUSH', doc: 'those that are older than this one' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each push' },
      adminListenFlag,
      dataFlag,
    ],
    example: 'bellhop pushes "Corner Shop" --scheduled',
  },
  {
    name: 'cancel',
    words: ['PUSH'],
    summary: 'call off a push that waits or is being sent; the beginning of its id will do',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop cancel 019a9f7e-3c1b-7000-8000-000000000000',
  },
  {
    name: 'explain',
    words: ['PUSH', 'TOKEN'],
    summary: 'say why a device got a push, or did not; the beginnings of both will do',
    flags: [platformFlag, jsonFlag, adminListenFlag, dataFlag],
    example: 'bellhop explain 019a9f7e-3c1b-7000-8000-000000000000 3f8a09c1',
  },
  {
    name: 'tail',
    words: ['[APP]'],
    summary: 'show what happens, as it happens, until Ctrl-C; of the simulator also what it was sent',
    flags: [{ name: 'json', placeholder: null, doc: 'print a line of JSON for each event' }, adminListenFlag, dataFlag],
    example: 'bellhop tail "Corner Shop"',
  },
  {
    name: 'devices',
    words: ['APP'],
    summary: 'list devices, in the order of their registration',
    flags: [
      { name: 'tag', placeholder: 'T', list: true, doc: 'with one of these tags' },
      { name: 'alias', placeholder: 'A', doc: 'the one with this alias' },
      {
        name: 'token',
        placeholder: 'T',
        doc: 'the one with this token, or those whose token begins so (8 characters or more)',
      },
      platformFlag,
      {
        name: 'state',
        placeholder: 'registered|gone|quarantined',
        doc: 'default registered; with --alias or --token any',
      },
      { name: 'limit', placeholder: 'N', doc: 'so many at the most (default 50)' },
      { name: 'after', placeholder: 'TOKEN', doc: 'those behind this one' },
      { name: 'full', placeholder: null, doc: 'show tokens from end to end' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each device' },
      dataFlag,
    ],
    example: 'bellhop devices "Corner Shop" --tag bread',
  },
  {
    name: 'devices restore',
    words: ['APP'],
    summary: 'bring back devices that a gateway has declared dead by mistake, as they were',
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
      dataFlag,
    ],
    example: 'bellhop devices restore "Corner Shop" --since 2h --reason BadDeviceToken --yes',
  },
  {
    name: 'stats',
    words: ['[APP]'],
    summary: 'show what was sent and opened on each day',
    flags: [
      { name: 'days', placeholder: 'N', doc: 'so many, today included (default 14)' },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each application' },
      dataFlag,
    ],
    example: 'bellhop stats "Corner Shop" --days 30',
  },
]
