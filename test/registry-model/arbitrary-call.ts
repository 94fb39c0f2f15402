import { array, boolean, constant, constantFrom, integer, oneof, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { aFilter, anAlias, aPlatform, aTag, PLACES, TYPES, USERS } from './arbitrary-audience.ts'
import type { By, Endpoint, RegistryCall, WirePlatform } from './call.ts'
import { proofOf } from './proof-model.ts'

type Phone = Exclude<WirePlatform, '2'>

/** What another service had of phones; one of each platform is gone as soon as somebody sends to it. */
const LISTED: Readonly<Record<Phone, readonly string[]>> = {
  '0': ['d4'.repeat(32), 'bad41000'.padEnd(64, 'd')],
  '1': ['listed:1', 'listed:2', 'unregistered:2'],
}

/** Few tokens, so that calls meet: two that differ in letter case, one that is of no gateway, and those that leave. */
const TOKENS: Readonly<Record<WirePlatform, readonly string[]>> = {
  '0': [
    'a1'.repeat(32),
    'b2'.repeat(32),
    'B2'.repeat(32),
    'c3'.repeat(50),
    'nohex',
    ...['bad41000', 'bad40000'].map((token) => token.padEnd(64, 'c')),
    ...LISTED['0'],
  ],
  '1': ['a1'.repeat(32), 'phone:1', 'phone:2', 'Phone:2', 'unregistered:1', 'invalid:1', ...LISTED['1']],
  // The last one is no address of a push service.
  '2': [...['1', '2', '3', 'unregistered:1'].map((path) => `https://simulator.invalid/${path}`), 'phone:1'],
}

/** As clients spell a platform; rarely one that there is not. */
const spelled = (platform: WirePlatform) =>
  oneof(
    { weight: 20, arbitrary: constant<unknown>(platform) },
    { weight: 5, arbitrary: constant<unknown>(Number(platform)) },
    { weight: 1, arbitrary: constant<unknown>('7') },
  )

const anAddress = aPlatform.chain((platform) =>
  record({ platform: spelled(platform), token: constantFrom(...TOKENS[platform]) }),
)

/** Nearly as many as a device may have; and one beyond them. */
const MANY = Array.from({ length: 98 }, (_, n) => `many ${String(n).padStart(2, '0')}`)

const someTags = oneof(
  { weight: 12, arbitrary: array(aTag, { maxLength: 4 }) },
  { weight: 4, arbitrary: aTag },
  { weight: 1, arbitrary: constant(MANY) },
)
const someTypes = oneof(array(constantFrom(...TYPES), { maxLength: 3 }), constantFrom(...TYPES))
const aliasOrNone = oneof({ weight: 5, arbitrary: anAlias }, { weight: 1, arbitrary: constant('') })
const userOrNone = constantFrom(...USERS, '')
const somewhere = constantFrom(...PLACES).chain((place) =>
  oneof(constant(place), constant({ lat: String(place.lat), lng: String(place.lng) })),
)
/** The second in another spelling; the last is none. */
const aLocale = constantFrom('de', 'pt_BR', 'en-US', 'de', 'pt-BR', '', 'x y')
const aTimezone = constantFrom('Europe/Berlin', 'America/New_York', '')

/** Some of the fields. */
function partly<T extends object>(fields: Arbitrary<T>): Arbitrary<Partial<T>> {
  return fields.chain((all) => {
    const names = Object.keys(all) as (keyof T)[]
    return array(boolean(), { minLength: names.length, maxLength: names.length }).map((kept) =>
      Object.fromEntries(names.filter((_, n) => kept[n]).map((name) => [name, all[name]])),
    ) as Arbitrary<Partial<T>>
  })
}

const both = <A extends object, B extends object>(one: Arbitrary<A>, other: Arbitrary<B>) =>
  record({ one, other }).map(({ one, other }) => Object.assign({}, one, other))

/** The token of another, or its own, whose place it takes. */
const aReplacement = aPlatform.chain((platform) =>
  record({
    platform: spelled(platform),
    token: constantFrom(...TOKENS[platform]),
    replaces: constantFrom(...TOKENS[platform]),
  }),
)

const aRegistration = both(
  oneof({ weight: 4, arbitrary: anAddress }, { weight: 1, arbitrary: aReplacement }),
  both(
    partly(
      record({
        tag: someTags,
        active: someTypes,
        alias: aliasOrNone,
        user: userOrNone,
        timezone: aTimezone,
        locale: aLocale,
      }),
    ),
    oneof({ weight: 3, arbitrary: constant({}) }, { weight: 2, arbitrary: somewhere }, constant({ lat: 1 })),
  ),
).chain(withKeys)

/** A browser comes with the keys of its subscription, rarely without; those that a phone gives are not read. */
function withKeys(body: { readonly platform: unknown }): Arbitrary<{ readonly platform: unknown }> {
  const weights = String(body.platform) === '2' ? { keys: 12, none: 1 } : { keys: 1, none: 20 }
  return oneof(
    { weight: weights.keys, arbitrary: constant({ ...body, keys: EXAMPLE_SUBSCRIPTION }) },
    { weight: weights.none, arbitrary: constant(body) },
  )
}

/** With the right proofs, or none; rarely with one of another name. */
function proven<T extends object>(body: Arbitrary<T>): Arbitrary<object> {
  return body.chain((said: T & { user?: string; alias?: string }) => {
    const { user = '', alias = '' } = said
    const ofUser = user === '' ? {} : { user_proof: proofOf(user) }
    const ofAlias = alias === '' ? {} : { alias_proof: proofOf(alias) }
    const others = [{ user_proof: proofOf(alias || 'ann') }, { ...ofUser, alias_proof: proofOf('bob') }]
    const proofs = [ofUser, ofAlias, { ...ofUser, ...ofAlias }, ...others]
    const more = oneof({ weight: 4, arbitrary: constant({}) }, { weight: 5, arbitrary: constantFrom(...proofs) })
    return more.map((proof) => Object.assign({}, said, proof))
  })
}

/** Somebody on a phone that is mostly new: a token that no other call names. */
const aSignIn = proven(
  both(
    aPlatform
      .chain((platform) =>
        record({
          platform: spelled(platform),
          token: integer({ min: 0, max: 40 }).map((n) => newToken(platform, n)),
        }),
      )
      .chain(withKeys),
    record({ user: constantFrom(...USERS) }),
  ),
)

function newToken(platform: WirePlatform, n: number): string {
  if (platform === '2') return `https://simulator.invalid/new/${n}`
  return platform === '0' ? `c0${String(n).padStart(62, '0')}` : `new:${n}`
}

const aBatch = aPlatform.chain((platform) =>
  both(
    record({ platform: spelled(platform), tokens: array(constantFrom(...TOKENS[platform]), { maxLength: 5 }) }),
    partly(record({ tags: someTags })),
  ),
)

const anAliasChange = both(anAddress, record({ alias: aliasOrNone, current_alias: anAlias })).chain((fields) =>
  constantFrom(...(['token', 'current_alias', null] as const)).map((absent) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name !== absent)),
  ),
)

const aTagging = oneof(
  { weight: 3, arbitrary: both(anAddress, record({ tag: someTags })) },
  { weight: 1, arbitrary: record({ platform: aPlatform.chain(spelled), tag: someTags, Alias: anAlias }) },
)

const CONTENT = record({
  msg: constant('Hello'),
  sound: constantFrom('', 'default'),
  badge: constantFrom('', '0', '5', '+1', '-1'),
})

const aPush = both(oneof(aFilter, record({ platform: constantFrom(['0', '1'], ['0', '1', '2']) })), CONTENT)
const aPushToOne = both(anAddress, CONTENT)

/** A body, which rarely lacks one of its fields. */
function lacking(body: Arbitrary<object>): Arbitrary<RegistryCall['body']> {
  return body.chain((whole) =>
    oneof(
      { weight: 15, arbitrary: constant(whole as RegistryCall['body']) },
      {
        weight: 1,
        arbitrary: constantFrom(...Object.keys(whole), '').map((absent) =>
          Object.fromEntries<unknown>(Object.entries(whole).filter(([name]) => name !== absent)),
        ),
      },
    ),
  )
}

const by: Arbitrary<By> = oneof(
  { weight: 12, arbitrary: constant('backend') },
  { weight: 6, arbitrary: constant('app') },
  { weight: 1, arbitrary: constant('thief') },
)
const NOTHING = constant({})

function callTo(endpoint: Endpoint, body: Arbitrary<object>, headers: Arbitrary<RegistryCall['headers']> = NOTHING) {
  return record({
    endpoint: constant(endpoint),
    of: constantFrom(0 as const, 1 as const),
    by,
    body: lacking(body),
    headers,
  })
}

/** Calls that change one device, or read one: what writers beside each other do. */
export const WRITES: readonly Arbitrary<RegistryCall>[] = [
  callTo('PUT /deviceToken', proven(aRegistration)),
  callTo('PUT /deviceToken', proven(aRegistration)),
  callTo('PUT /deviceToken/batch', aBatch),
  callTo('PUT /deviceToken/del', anAddress),
  callTo('PUT /alias', proven(anAliasChange)),
  callTo('PUT /tag', aTagging),
  callTo('PUT /tag/del', aTagging),
  callTo('PUT /geo', both(anAddress, somewhere)),
  callTo('PUT /badge', both(anAddress, record({ setbadgecount: constantFrom(0, 3, 2_147_483_647) }))),
  callTo('PUT /stats', record({ platform: aPlatform.chain(spelled) })),
  callTo(
    'GET /deviceToken/one',
    NOTHING,
    aPlatform.chain((platform) => record({ token: constantFrom(...TOKENS[platform]), platform: constant(platform) })),
  ),
]

/** The operator brings in a row of a list that is some days old. */
const anImport: Arbitrary<RegistryCall> = constantFrom<Phone[]>('0', '1').chain((platform) =>
  record({
    endpoint: constant('import'),
    of: constantFrom(0, 1),
    by: constant('backend'),
    headers: NOTHING,
    body: record({
      platform: constant(platform),
      token: constantFrom(...LISTED[platform]),
      user: constantFrom(...USERS, undefined),
      tag: constantFrom(['a'], ['b', 'listed'], undefined),
      seenAt: constantFrom(...[17, 18, 19].map((day) => Date.UTC(2026, 10, day))),
    }),
  }),
)

/** Those that want to be alone: they look at all devices, or send to them. */
export const OTHERS: readonly Arbitrary<RegistryCall>[] = [
  anImport,
  anImport,
  callTo('PUT /deviceToken', aSignIn),
  callTo('PUT /deviceToken', aSignIn),
  callTo('GET /deviceToken/all', NOTHING),
  callTo('GET /feedback', NOTHING),
  callTo(
    'GET /deviceToken/one',
    NOTHING,
    aPlatform.chain((platform) => partly(record({ token: constantFrom(...TOKENS[platform]) }))),
  ),
  callTo('GET /analytics', NOTHING),
  callTo('POST /push/preview', oneof(aPush, aPushToOne)),
  callTo('POST /push/preview', aPush),
  callTo('POST /push/all', aPush),
  callTo('POST /push/one', aPushToOne),
]
