import type { IdAlone } from '../../http/endpoint.ts'

const KNOWN = 'a device whose token it knows'
const KNOWN_SOMEHOW = 'a device whose token or alias it knows'
const ADOPTED = ', or that of an imported device that waits for its app, whose user it knows'
const UNKNOWN: Pick<IdAlone, 'cannot'> = { cannot: 'reach a device without knowing its token' }
const UNKNOWN_AT_ALL: Pick<IdAlone, 'cannot'> = { cannot: 'reach a device knowing neither' }

const NAMES_PROVEN = 'the same, but of users and aliases only those that it has a proof of, by `replaces` too'

/** An alias alone needs the secret. */
const BY_TOKEN: Readonly<Record<'register' | 'alias' | 'tag' | 'untag', IdAlone>> = {
  register: {
    can: `register devices that it makes up, with any tags, types and free alias, and change ${KNOWN}, or take its place${ADOPTED}`,
    cannot: 'take the alias of another device',
    verified: NAMES_PROVEN,
  },
  alias: {
    can: `give a free alias to ${KNOWN}`,
    verified: `give a free alias that it has a proof of to ${KNOWN}`,
    cannot: 'take the alias of another device, or name one by `current_alias` alone',
  },
  tag: { can: `tag ${KNOWN}`, cannot: 'name one by `Alias` alone' },
  untag: { can: `untag ${KNOWN}`, cannot: 'name one by `Alias` alone' },
}

/** With `--compat` an alias alone is enough. */
const BY_TOKEN_OR_ALIAS: typeof BY_TOKEN = {
  register: {
    can: `register devices that it makes up, with any tags, types and alias, which moves there, and change ${KNOWN}, or take its place${ADOPTED}`,
    cannot: 'read the device it takes an alias from',
    verified: NAMES_PROVEN,
  },
  alias: {
    can: `give any alias, which moves there, to ${KNOWN_SOMEHOW}`,
    ...UNKNOWN_AT_ALL,
    verified: `give an alias that it has a proof of, which moves there, to ${KNOWN}`,
  },
  tag: { can: `tag ${KNOWN_SOMEHOW}`, ...UNKNOWN_AT_ALL, verified: `tag ${KNOWN}` },
  untag: { can: `untag ${KNOWN_SOMEHOW}`, ...UNKNOWN_AT_ALL, verified: `untag ${KNOWN}` },
}

/** What the application ID alone allows. */
export const ID_ALONE = {
  unregister: { can: `unregister ${KNOWN}`, cannot: 'learn whether such a device existed' },
  move: { can: `move ${KNOWN}`, ...UNKNOWN },
  setBadge: { can: `set the badge count of ${KNOWN}`, ...UNKNOWN },
  read: { can: `read the record of ${KNOWN}`, cannot: 'find a device without its token' },
} satisfies Readonly<Record<string, IdAlone>>

export function idAloneOf({
  aliasesOpen,
}: {
  readonly aliasesOpen: boolean
}): Readonly<Record<keyof typeof BY_TOKEN, IdAlone>> {
  return aliasesOpen ? BY_TOKEN_OR_ALIAS : BY_TOKEN
}

/** For the calls that `--compat` adds. */
export const ID_ALONE_IN_COMPAT = {
  activate: { can: `add types to ${KNOWN_SOMEHOW}`, ...UNKNOWN_AT_ALL, verified: `add types to ${KNOWN}` },
  deactivate: { can: `take types from ${KNOWN_SOMEHOW}`, ...UNKNOWN_AT_ALL, verified: `take types from ${KNOWN}` },
  removeAlias: {
    can: `take the alias from ${KNOWN_SOMEHOW}`,
    ...UNKNOWN_AT_ALL,
    verified: `take the alias from ${KNOWN}`,
  },
} satisfies Readonly<Record<string, IdAlone>>
