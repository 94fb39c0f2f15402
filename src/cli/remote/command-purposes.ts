import type { TokenPurpose } from '../../admin/token-purpose.ts'

/**
 * Commands that a server runs, if there is one: for its data directory, or remotely with a token of at least this
 * purpose.
 */
export const COMMAND_PURPOSES: Readonly<Record<string, TokenPurpose | undefined>> = {
  'app create': 'operate',
  'app list': 'read',
  'app show': 'read',
  'app rotate-secret': 'operate',
  'app user-key': 'operate',
  'app delete': 'operate',
  'app apns': 'operate',
  'app fcm': 'operate',
  'app webpush': 'operate',
  'app simulate': 'operate',
  'app webhook': 'operate',
  'app limits': 'operate',
  push: 'send',
  pushes: 'read',
  cancel: 'send',
  resend: 'send',
  explain: 'read',
  tail: 'read',
  devices: 'read',
  'devices restore': 'operate',
  labels: 'operate',
  'user show': 'read',
  'user erase': 'operate',
  stats: 'read',
  'admin link': 'administer',
  'admin add': 'administer',
  'admin reset': 'administer',
  'admin totp': 'administer',
  'admin list': 'read',
  'admin remove': 'administer',
  'admin token': 'administer',
  'admin tokens': 'read',
  'admin revoke': 'administer',
  audit: 'read',
}

/** Why the others always run in their own process. */
export const STAYS_HERE: Readonly<Record<string, string>> = {
  serve: 'it is the server',
  demo: 'it is a server, with data of its own',
  restore: 'it replaces the database, which no server may have open',
  compact: 'it rewrites the database, which no server may have open',
  'key rotate': 'a server has the old key in memory, so none may run',
  backup: 'it reads the whole file, for longer than a server may stand still; and writes a file of this machine',
  'backup list': 'it reads no database',
  'backup verify': 'it reads a copy, which a damaged database or no server may be the reason for',
  export: 'it reads the whole registry, and writes a file of this machine',
  import: 'it reads a file of this machine, as fast as the second processor goes',
  'app webpush-key': 'it writes a secret to a file of this machine',
  doctor: 'it looks at this machine with the rights of whoever asks, also where no server starts',
  health: 'it asks a server by HTTP, as a load balancer would',
  config: 'it shows the settings of this environment',
  systemd: 'it writes text',
  completions: 'it writes text',
  licenses: 'it writes text',
  manual: 'it writes text',
  help: 'it writes text',
  version: 'it writes text',
}

export function isRemote({ name }: { readonly name: string }): boolean {
  return COMMAND_PURPOSES[name] !== undefined
}
