import { integer, path } from '../../settings/setting-type.ts'
import { dataFlags, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

const passwordFlag: FlagSpec = {
  name: 'password-file',
  placeholder: 'FILE',
  type: path,
  doc: 'the password is its first line; - reads it from standard input (default: one is made, and shown once)',
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
    flags: [
      { name: 'url', placeholder: 'URL', doc: 'where browsers reach the admin side, such as https://push.example.com' },
      listenFlag,
      jsonFlag,
      ...dataFlags,
    ],
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
    summary: 'give an administrator a new password, and sign them out everywhere',
    changes: { action: 'reset password' },
    flags: [passwordFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin reset ann'],
    load: () => import('./admin-reset-command.ts'),
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
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin token prometheus'],
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
