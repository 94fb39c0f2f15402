import type { TokenPurpose } from '../../admin/token-purpose.ts'
import { onlyReads } from '../command.ts'
import type { CommandFacts, ParsedArguments } from '../command.ts'

/** Commands that a server runs for its data directory, or for a remote token of at least this purpose. */
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
  'app move': 'administer',
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
  'hook create': 'operate',
  'hook list': 'read',
  'hook show': 'read',
  'hook preview': 'read',
  'hook delete': 'operate',
  'alert add': 'operate',
  'alert list': 'read',
  'alert test': 'operate',
  'alert delete': 'operate',
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

/** Commands that always run in their own process, and why. */
export const STAYS_HERE: Readonly<Record<string, string>> = {
  serve: 'it is the server',
  demo: 'it is a server, with data of its own',
  restore: 'it replaces the database, which no server may have open',
  compact: 'it rewrites the database, which no server may have open',
  'key rotate': 'a running server has the old key in memory',
  upgrade: 'it replaces the program of this machine, and restarts the server',
  backup: 'it reads the whole file, which would block a server for too long, and writes a file on this machine',
  'backup list': 'it reads no database',
  'backup verify': 'it reads a copy, and may be needed when the database is damaged or no server runs',
  export: 'it reads the whole registry, and writes a file on this machine',
  import: 'it reads a file on this machine, using a second processor',
  'app webpush-key': 'it writes a secret to a file on this machine',
  doctor: 'it checks this machine with your own permissions, even if no server can start',
  health: 'it calls a server over HTTP, as a load balancer would',
  config: "it shows this environment's settings",
  systemd: 'it writes text',
  client: 'it writes files on this machine, and needs no data',
  backend: 'it writes text, or a file on this machine',
  skill: 'it writes text',
  mcp: 'it talks to the program that started it; each of its tools runs a command',
  completions: 'it writes text',
  licenses: 'it writes text',
  manual: 'it writes text',
  help: 'it writes text',
  version: 'it writes text',
}

export function purposeOf(spec: Pick<CommandFacts, 'name' | 'changes'>, given: ParsedArguments) {
  const purpose = COMMAND_PURPOSES[spec.name]
  return purpose !== undefined && onlyReads(spec, given) ? 'read' : purpose
}

export function isRemote({ name }: { readonly name: string }): boolean {
  return COMMAND_PURPOSES[name] !== undefined
}
