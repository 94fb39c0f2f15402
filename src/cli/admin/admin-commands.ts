import { path } from '../../settings/setting-type.ts'
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
    flags: [passwordFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin add ann'],
    load: () => import('./admin-add-command.ts'),
  },
  {
    name: 'admin reset',
    words: ['NAME'],
    summary: 'give an administrator a new password, and sign them out everywhere',
    flags: [passwordFlag, jsonFlag, ...dataFlags],
    examples: ['bellhop admin reset ann'],
    load: () => import('./admin-reset-command.ts'),
  },
  {
    name: 'admin list',
    words: [],
    summary: 'list the administrators',
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin list'],
    load: () => import('./admin-list-command.ts'),
  },
  {
    name: 'admin remove',
    words: ['NAME'],
    summary: 'take an administrator away, signed out everywhere',
    flags: [{ name: 'yes', placeholder: null, doc: 'also the last one' }, ...dataFlags],
    examples: ['bellhop admin remove ann'],
    load: () => import('./admin-remove-command.ts'),
  },
  {
    name: 'admin token',
    words: ['NAME'],
    summary: 'make a token by which a program uses the admin side, and print it once',
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin token prometheus'],
    load: () => import('./admin-token-command.ts'),
  },
  {
    name: 'admin tokens',
    words: [],
    summary: 'list the tokens, by name',
    flags: [jsonFlag, ...dataFlags],
    examples: ['bellhop admin tokens'],
    load: () => import('./admin-tokens-command.ts'),
  },
  {
    name: 'admin revoke',
    words: ['NAME'],
    summary: 'end a token',
    flags: [...dataFlags],
    examples: ['bellhop admin revoke prometheus'],
    load: () => import('./admin-revoke-command.ts'),
  },
]
