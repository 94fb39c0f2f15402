import { ALERT_KINDS, CHANNELS } from '../../alert/alert.ts'
import { fileFlag, jsonFlag, jsonLinesFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

export const ALERT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'alert add',
    words: [CHANNELS.join('|'), 'URL'],
    on: 'data',
    summary: 'send a message when something is wrong, and one when it has ended',
    changes: { action: 'add alert' },
    flags: [
      valueFlag('when', 'LIST', `what to tell: ${ALERT_KINDS.join(', ')} (default: all)`, { list: true }),
      valueFlag('name', 'NAME', 'name of the alert (default: webhook, ntfy or email)'),
      fileFlag('secret-file', "file with ntfy's access token, the mail password, or the webhook's secret"),
      jsonFlag,
    ],
    examples: [
      'bellhop alert add ntfy https://ntfy.sh/a-topic-that-nobody-guesses',
      'bellhop alert add webhook https://ops.example/alerts --when not-ready,disk',
      'bellhop alert add email "smtps://bellhop@mail.example.com?from=bellhop@example.com&to=you@example.com" --secret-file mail.password',
    ],
    load: async () => (await import('./alert-command.ts')).add,
  },
  {
    name: 'alert list',
    words: [],
    on: 'data',
    summary: 'list alerts, and whether their messages arrive',
    changes: null,
    flags: [jsonLinesFlag('alert')],
    examples: ['bellhop alert list'],
    load: async () => (await import('./alert-command.ts')).list,
  },
  {
    name: 'alert test',
    words: ['NAME'],
    on: 'data',
    summary: 'have the running server send a test message',
    changes: { action: 'test alert', evenWithoutRows: true },
    flags: [],
    examples: ['bellhop alert test ntfy'],
    load: async () => (await import('./alert-command.ts')).test,
  },
  {
    name: 'alert delete',
    words: ['NAME'],
    on: 'data',
    summary: 'delete an alert',
    changes: { action: 'delete alert' },
    flags: [switchFlag('yes', 'confirm the deletion')],
    examples: ['bellhop alert delete ntfy --yes'],
    load: async () => (await import('./alert-command.ts')).erase,
  },
]
