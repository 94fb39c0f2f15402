import { DEFAULT_PURPOSE, DEFAULT_TOKEN_DAYS, PURPOSE_TEXT, TOKEN_PURPOSES } from '../../admin/token-purpose.ts'
import { choice, integer } from '../../settings/setting-type.ts'
import { fileFlag, jsonFlag, jsonLinesFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { tokenLife } from './token-life.ts'

const passwordFlag = fileFlag(
  'password-file',
  "read the password from this file's first line; - reads standard input (default: generated and shown once)",
)

const urlFlag = valueFlag('url', 'URL', 'the admin address as browsers reach it, such as https://admin.example.com')

const listenFlag = valueFlag(
  'admin-listen',
  'ADDRESS',
  'where the admin side listens (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)',
  { setting: 'adminListen' },
)

export const ADMIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'admin link',
    words: ['[NAME]'],
    on: 'data',
    summary: 'print a one-time link (30 minutes) to create an administrator or sign in as NAME',
    changes: { action: 'make link' },
    flags: [urlFlag, listenFlag, jsonFlag],
    examples: ['bellhop admin link'],
    load: async () => (await import('./administrators-command.ts')).link,
  },
  {
    name: 'admin add',
    words: ['NAME'],
    on: 'data',
    summary: 'add an administrator',
    changes: { action: 'add administrator' },
    flags: [passwordFlag, jsonFlag],
    examples: ['bellhop admin add ann'],
    load: async () => (await import('./administrators-command.ts')).add,
  },
  {
    name: 'admin reset',
    words: ['NAME'],
    on: 'data',
    summary: 'reset an administrator: new password, no second factor, all sessions ended, and a sign-in link',
    changes: { action: 'reset administrator' },
    flags: [passwordFlag, urlFlag, listenFlag, jsonFlag],
    examples: ['bellhop admin reset ann'],
    load: async () => (await import('./administrators-command.ts')).reset,
  },
  {
    name: 'admin totp',
    words: ['NAME'],
    on: 'data',
    summary: "set up or change an administrator's second factor (authenticator app)",
    changes: { action: 'change second factor' },
    flags: [
      valueFlag('code', 'CODE', 'a code from the app, or a recovery code; the first code turns it on'),
      switchFlag('off', 'turn it off'),
      switchFlag('recovery-codes', 'create new recovery codes; the old ones stop working'),
      jsonFlag,
    ],
    exclusive: [['off', 'recovery-codes']],
    examples: ['bellhop admin totp ann', 'bellhop admin totp ann --code 123456'],
    load: () => import('./admin-totp-command.ts'),
  },
  {
    name: 'admin list',
    words: [],
    on: 'data',
    summary: 'list administrators',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop admin list'],
    load: async () => (await import('./administrators-command.ts')).list,
  },
  {
    name: 'admin remove',
    words: ['NAME'],
    on: 'data',
    summary: 'remove an administrator and end their sessions',
    changes: { action: 'remove administrator' },
    flags: [switchFlag('yes', 'also the last one')],
    examples: ['bellhop admin remove ann'],
    load: async () => (await import('./administrators-command.ts')).remove,
  },
  {
    name: 'admin token',
    words: ['NAME'],
    on: 'data',
    summary: 'create an admin API token for a program, and print it once',
    changes: { action: 'make token' },
    flags: [
      {
        name: 'purpose',
        placeholder: TOKEN_PURPOSES.join('|'),
        type: choice(...TOKEN_PURPOSES),
        doc: `${TOKEN_PURPOSES.map((one) => `${one}: ${PURPOSE_TEXT[one]}`).join('; ')} (default ${DEFAULT_PURPOSE})`,
      },
      typedFlag('expires', tokenLife, `how long it is valid: 30d, or never (default ${DEFAULT_TOKEN_DAYS}d)`),
      jsonFlag,
    ],
    examples: ['bellhop admin token prometheus', 'bellhop admin token laptop --purpose administer --expires 30d'],
    load: async () => (await import('./tokens-command.ts')).make,
  },
  {
    name: 'admin tokens',
    words: [],
    on: 'data',
    summary: 'list tokens by name',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop admin tokens'],
    load: async () => (await import('./tokens-command.ts')).list,
  },
  {
    name: 'admin revoke',
    words: ['NAME'],
    on: 'data',
    summary: 'end a token',
    changes: { action: 'revoke token' },
    flags: [],
    examples: ['bellhop admin revoke prometheus'],
    load: async () => (await import('./tokens-command.ts')).revoke,
  },
  {
    name: 'audit',
    words: ['[APP]'],
    on: 'data',
    summary: 'show the audit log, newest first: who did what, from where, and what changed',
    changes: null,
    flags: [
      valueFlag('since', 'TIME', 'only entries since this time: 2026-12-24T09:00:00Z, or 7d for 7 days ago'),
      valueFlag('until', 'TIME', 'only entries before this time'),
      valueFlag('who', 'WHO', 'only entries whose actor contains this, such as "token ci"'),
      valueFlag('action', 'ACTION', 'only this action, such as "rotate secret"'),
      typedFlag('limit', integer(1, 1_000_000), 'show at most N entries (default 50; all with --json or --csv)'),
      jsonLinesFlag('entry'),
      switchFlag('csv', 'print comma-separated values'),
    ],
    exclusive: [['json', 'csv']],
    examples: ['bellhop audit --since 7d', 'bellhop audit "Corner Shop" --csv'],
    load: () => import('./audit-command.ts'),
  },
]
