import { DEFAULT_PURPOSE, DEFAULT_TOKEN_DAYS, PURPOSE_TEXT, TOKEN_PURPOSES } from '../../admin/token-purpose.ts'
import { choice, integer, path } from '../../settings/setting-type.ts'
import { dataFlags, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'
import { tokenLife } from './token-life.ts'

const passwordFlag: FlagSpec = {
  name: 'password-file',
  placeholder: 'FILE',
  type: path,
  doc: 'the password is its first line; - reads it from standard input (default: one is made, and shown once)',
}

const urlFlag: FlagSpec = {
  name: 'url',
  placeholder: 'URL',
  doc: 'where browsers reach the admin side, such as https://push.example.com',
}

const listenFlag: FlagSpec = {
  name: 'admin-listen',
  setting: 'adminListen',
  placeholder: 'ADDRESS',
  doc: 'where the admin side listens (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)',
}

/** Who may use the dashboard, and the admin side. */
export const ADMIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'admin link',
    words: ['[NAME]'],
    summary: 'print a link, good once and for 30 minutes: to become an administrator, or to be signed in as NAME',
    changes: { action: 'make link' },
    flags: [urlFlag, listenFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin link'],
    load: () => import('./admin-link-command.ts'),
  },
  {
    name: 'admin add',
    words: ['NAME'],
    summary: 'add an administrator',
    changes: { action: 'add administrator' },
    flags: [passwordFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin add ann'],
    load: () => import('./admin-add-command.ts'),
  },
  {
    name: 'admin reset',
    words: ['NAME'],
    summary:
      'give an administrator a new password, remove the second factor, end their sessions, and print a sign-in link',
    changes: { action: 'reset administrator' },
    flags: [passwordFlag, urlFlag, listenFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin reset ann'],
    load: () => import('./admin-reset-command.ts'),
  },
  {
    name: 'admin totp',
    words: ['NAME'],
    summary: 'set up or change the second factor of an administrator (an authenticator app)',
    changes: { action: 'change second factor' },
    flags: [
      { name: 'code', placeholder: 'CODE', doc: 'a code from the app, or a recovery code; the first code turns it on' },
      { name: 'off', placeholder: null, doc: 'turn it off' },
      { name: 'recovery-codes', placeholder: null, doc: 'make new recovery codes; the old ones no longer work' },
      jsonFlag,
      ...dataFlags,
    ],
    exclusive: [['off', 'recovery-codes']],
    examples: ['bellhop admin totp ann', 'bellhop admin totp ann --code 123456'],
    load: () => import('./admin-totp-command.ts'),
  },
  {
    name: 'admin list',
    words: [],
    summary: 'list the administrators',
    changes: null,
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin list'],
    load: () => import('./admin-list-command.ts'),
  },
  {
    name: 'admin remove',
    words: ['NAME'],
    summary: 'take an administrator away, signed out everywhere',
    changes: { action: 'remove administrator' },
    flags: [{ name: 'yes', placeholder: null, doc: 'also the last one' }, ...dataFlags],
    examples: ['bellhop admin remove ann'],
    load: () => import('./admin-remove-command.ts'),
  },
  {
    name: 'admin token',
    words: ['NAME'],
    summary: 'make a token by which a program uses the admin side, and print it once',
    changes: { action: 'make token' },
    flags: [
      {
        name: 'purpose',
        placeholder: TOKEN_PURPOSES.join('|'),
        type: choice(...TOKEN_PURPOSES),
        doc: `${TOKEN_PURPOSES.map((one) => `${one}: ${PURPOSE_TEXT[one]}`).join('; ')} (default ${DEFAULT_PURPOSE})`,
      },
      {
        name: 'expires',
        placeholder: 'DAYS',
        type: tokenLife,
        doc: `how long it is valid: 30d, or never (default ${DEFAULT_TOKEN_DAYS}d)`,
      },
      jsonFlag,
      ...dataFlags,
    ],
    examples: ['bellhop admin token prometheus', 'bellhop admin token laptop --purpose administer --expires 30d'],
    load: () => import('./admin-token-command.ts'),
  },
  {
    name: 'admin tokens',
    words: [],
    summary: 'list the tokens, by name',
    changes: null,
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin tokens'],
    load: () => import('./admin-tokens-command.ts'),
  },
  {
    name: 'admin revoke',
    words: ['NAME'],
    summary: 'end a token',
    changes: { action: 'revoke token' },
    flags: [...dataFlags],
    examples: ['bellhop admin revoke prometheus'],
    load: () => import('./admin-revoke-command.ts'),
  },
  {
    name: 'audit',
    words: ['[APP]'],
    summary: 'show the audit log: who did what, from where, and what it changed, newest first',
    changes: null,
    flags: [
      { name: 'since', placeholder: 'TIME', doc: 'entries since then: 2026-12-24T09:00:00Z, or 7d for 7 days ago' },
      { name: 'until', placeholder: 'TIME', doc: 'entries before then' },
      { name: 'who', placeholder: 'WHO', doc: 'entries of whoever has this in their name, such as "token ci"' },
      { name: 'action', placeholder: 'ACTION', doc: 'entries of this action, such as "rotate secret"' },
      {
        name: 'limit',
        placeholder: 'N',
        type: integer(1, 1_000_000),
        doc: 'at most N entries (default 50; with --json or --csv all)',
      },
      { name: 'json', placeholder: null, doc: 'print a line of JSON for each entry' },
      { name: 'csv', placeholder: null, doc: 'print comma-separated values' },
      ...dataFlags,
    ],
    exclusive: [['json', 'csv']],
    examples: ['bellhop audit --since 7d', 'bellhop audit "Corner Shop" --csv'],
    load: () => import('./audit-command.ts'),
  },
]
