import { inLowerCase } from './call.ts'
import type { Endpoint, RegistryAnswer, RegistryCall } from './call.ts'
import {
  claim,
  CONFLICT,
  done,
  failed,
  find,
  holderOn,
  INVALID,
  keyOf,
  knownAs,
  MAX_LABELS,
  MISSING,
  movedTo,
  namesOf,
  newDevice,
  NO_DEVICE,
  placeOf,
  platformOf,
  recordOf,
  registered,
  union,
} from './device-model.ts'
import type { Body, ModelApplication, ModelDevice } from './device-model.ts'
import { isEndpoint, warningOf } from './gateway-model.ts'
import { bring, toAdopt } from './import-model.ts'
import { tag, untag } from './label-model.ts'
import { bringsUnproven, provesAlias, unproven } from './proof-model.ts'
import { addressed, faultOf, NEEDED_BY_ONE, previewToAll, previewToOne, push } from './push-model.ts'

/** Calls that only a backend may make (contract, "Authentication", rule 2; POST /push/preview is like a push). */
const NEEDS_SECRET: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'PUT /deviceToken/batch',
  'GET /deviceToken/all',
  'GET /feedback',
  'POST /push/all',
  'POST /push/one',
  'POST /push/preview',
  'GET /analytics',
])

const REQUIRED: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  'PUT /deviceToken': ['token', 'platform'],
  'PUT /deviceToken/batch': ['tokens', 'platform'],
  'PUT /deviceToken/del': ['token', 'platform'],
  'PUT /alias': ['platform', 'alias'],
  'PUT /tag': ['platform', 'tag'],
  'PUT /tag/del': ['platform', 'tag'],
  'PUT /geo': ['platform', 'token', 'lat', 'lng'],
  'POST /push/one': NEEDED_BY_ONE,
  'PUT /badge': ['token', 'platform', 'setbadgecount'],
  'PUT /stats': ['platform'],
}

/** A preview with a token is refused like the push to one. */
function neededBy(endpoint: Endpoint, body: Body): readonly string[] {
  if (endpoint === 'POST /push/preview' && body['token'] !== undefined) return NEEDED_BY_ONE
  return REQUIRED[endpoint] ?? []
}

/**
 * The registry of two applications, as the contract has it: what each call is answered, and what is there afterwards. The
 * second one verifies its users.
 */
export class RegistryModel {
  #applications: readonly ModelApplication[] = [false, true].map((verifies) => ({
    devices: new Map(),
    feedback: new Map(),
    adopted: new Map(),
    counts: { t: 0, o: 0, s: 0 },
    verifies,
  }))

  /** `now`: ms since the Unix epoch. */
  answer(call: RegistryCall, now: number): RegistryAnswer {
    const { endpoint, of, by, body, headers } = inLowerCase(call)
    if (by === 'thief') return failed(401, 'InvalidCredentials')
    const withSecret = by === 'backend'
    if (!withSecret && NEEDS_SECRET.has(endpoint)) return failed(400, 'InvalidHeader')
    if (neededBy(endpoint, body).some((name) => body[name] === undefined)) return MISSING
    // An array is for a push to many; a scalar must be one of the three.
    if (typeof body['platform'] === 'string' && !/^[012]$/.test(body['platform'])) return INVALID
    const own = this.#applications[of] as ModelApplication
    switch (endpoint) {
      case 'import':
        return bring(own, body)
      case 'PUT /deviceToken':
        return register(own, body, withSecret, now)
      case 'PUT /deviceToken/batch':
        return importDevices(own, body, now)
      case 'PUT /deviceToken/del':
        own.devices.delete(keyOf(body))
        return done('Device unregistered')
      case 'PUT /alias':
        return setAlias(own, body, withSecret, now)
      case 'PUT /tag':
        return tag(own, body, withSecret, now)
      case 'PUT /tag/del':
        return untag(own, body, withSecret, now)
      case 'PUT /geo':
        return onDevice(own, body, now, 'Location set', (device) => (device.place = placeOf(body)))
      case 'PUT /badge':
        return onDevice(own, body, now, 'Badge set', (device) => (device.badge = Number(body['setbadgecount'])))
      case 'PUT /stats':
        own.counts.o++
        return done('Open recorded')
      case 'GET /deviceToken/all':
        return { status: 200, body: registered(own).map((device) => recordOf(device)) }
      case 'GET /feedback':
        return { status: 200, body: [...own.feedback.values()] }
      case 'GET /deviceToken/one':
        return one(own, headers)
      case 'GET /analytics':
        return { status: 200, body: { ...own.counts } }
      case 'POST /push/preview':
        return body['token'] === undefined ? previewToAll(own, body, now) : previewToOne(own, body)
      case 'POST /push/all':
        return faultOf(body) ?? push(own, addressed(own, body, now), body, now)
      case 'POST /push/one': {
        const device = find(own, body)
        return device === null ? NO_DEVICE : push(own, [device], body, now)
      }
    }
  }

  clone(): RegistryModel {
    const copy = new RegistryModel()
    copy.#applications = structuredClone(this.#applications)
    return copy
  }

  /** All that is in it, as text: of two that are alike the same. */
  toString(): string {
    return JSON.stringify(this.#applications, (_, value) => (value instanceof Map ? [...value.values()] : value))
  }
}

/** 201 the first time, and when a device comes back; 200 for one that is known. A field left out stays as it was. */
function register(own: ModelApplication, body: Body, withSecret: boolean, now: number): RegistryAnswer {
  const locale = localeOf(body)
  if (locale === null) return INVALID
  if ((body['lat'] === undefined) !== (body['lng'] === undefined)) return MISSING
  const isBrowser = platformOf(body) === '2'
  if (isBrowser && body['keys'] === undefined) return MISSING
  if (isBrowser && !isEndpoint(body['token'])) return INVALID
  const twin = knownAs(own, body)
  const refused = unproven(own, body, withSecret) ?? bringsUnproven(own, body, twin, withSecret)
  if (refused !== null) return refused
  const moved = movedTo(own, body, now) ?? adopted(own, body, now)
  const said = moved === undefined || twin === undefined ? body : { ...ofBoth(twin, moved), ...body }
  const known = moved ?? twin
  const status = known?.state === 'registered' ? 200 : 201
  const device = known ?? newDevice(own, body, now)
  const alias = said['alias'] as string | undefined
  const taken = alias !== undefined && alias !== '' && !claim(own, alias, device, withSecret || provesAlias(body), now)
  comeBack(device, now)
  if (device.imported === 'waits') device.imported = 'registered'
  if (said['lat'] !== undefined) device.place = placeOf(said)
  if (said['tag'] !== undefined) device.tag = namesOf(said['tag'])
  if (said['active'] !== undefined) device.active = namesOf(said['active'])
  if (alias !== undefined) device.alias = taken || alias === '' ? null : alias
  if (said['user'] !== undefined) device.user = said['user'] || null
  if (said['timezone'] !== undefined) device.timezone = said['timezone'] || null
  if (locale !== undefined) device.locale = locale || null
  else if (said['locale'] !== undefined) device.locale = said['locale']
  return { status, body: recordOf(device, taken ? ['alias belongs to another device'] : []) }
}

/** The locale of a call in its canonical form, '' for none; `undefined`: it says nothing of it; `null`: it is none. */
function localeOf({ locale }: Body): string | null | undefined {
  if (locale === undefined || locale === '') return locale
  // None of those that are tried is known by another name today.
  return /^[a-z]{2}([-_][A-Z]{2})?$/.test(locale) ? locale.replace('_', '-') : null
}

/** The imported device whose place the registration takes, under its token from now on. */
function adopted(own: ModelApplication, body: Body, now: number): ModelDevice | undefined {
  const replaces = toAdopt(own, body)
  if (replaces === undefined) return undefined
  const device = movedTo(own, { ...body, replaces }, now)
  if (device !== undefined) own.adopted.set(keyOf({ ...body, token: replaces }), device)
  return device
}

/** Where both tokens were registered: the labels of both, and what the new one has said besides. */
function ofBoth(twin: ModelDevice, moved: ModelDevice): Body {
  const { place, alias, user, timezone, locale } = twin
  return {
    tag: firstOf(twin.tag, moved.tag),
    active: firstOf(twin.active, moved.active),
    ...(place !== null && place),
    ...(alias !== null && { alias }),
    ...(user !== null && { user }),
    ...(timezone !== null && { timezone }),
    ...(locale !== null && { locale }),
  }
}

function firstOf(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])].slice(0, MAX_LABELS)
}

function comeBack(device: ModelDevice, now: number): void {
  Object.assign(device, { seenAt: now, updatedAt: now, state: 'registered', keptAlias: null })
}

/** Tags are added to what a device has; a token that is given twice counts once. All of them, or none. */
function importDevices(own: ModelApplication, body: Body, now: number): RegistryAnswer {
  const tokens: readonly string[] = body['tokens']
  if (tokens.length === 0) return MISSING
  // A browser comes with its keys.
  if (platformOf(body) === '2') return INVALID
  const tags = namesOf(body['tags'] ?? [])
  const addresses = [...new Set(tokens)].map((token) => ({ platform: body['platform'], token }))
  const isTooMany = (device: ModelDevice | undefined) => union(device?.tag ?? [], tags).length > MAX_LABELS
  if (addresses.some((address) => isTooMany(knownAs(own, address)))) return INVALID
  let created = 0
  // Those that had gone are registered after those that are new.
  const hadGone = (address: (typeof addresses)[number]) => Number(own.devices.get(keyOf(address))?.state === 'gone')
  for (const address of addresses.toSorted((one, other) => hadGone(one) - hadGone(other))) {
    const known = knownAs(own, address)
    if (known?.state !== 'registered') created++
    const device = known ?? newDevice(own, address, now)
    Object.assign(device, { tag: union(device.tag, tags) })
    comeBack(device, now)
  }
  const warnings = tokens.flatMap((token, index) => {
    const warning = warningOf(platformOf(body), token)
    return warning === null ? [] : [`tokens[${index}] is ${warning}`]
  })
  const counts = { imported: addresses.length, created, updated: addresses.length - created }
  return {
    status: 201,
    body: { message: 'Devices imported', ...counts, ...(warnings.length > 0 && { warnings }) },
  }
}

/** By token, by current alias, which needs the secret, or by both, which must name the same device. */
function setAlias(own: ModelApplication, body: Body, withSecret: boolean, now: number): RegistryAnswer {
  const { token, current_alias: current, alias } = body
  if (token === undefined && current === undefined) return MISSING
  if (token === undefined && !withSecret) return failed(400, 'InvalidHeader')
  const refused = unproven(own, body, withSecret)
  if (refused !== null) return refused
  const named = [
    ...(token === undefined ? [] : [find(own, body)]),
    ...(current === undefined ? [] : [holderOn(own, current, platformOf(body))]),
  ]
  const [device, other = device] = named
  if (device === null || device === undefined || other === null) return NO_DEVICE
  if (other !== device) return CONFLICT
  if (alias !== '' && !claim(own, alias, device, false, now)) return CONFLICT
  Object.assign(device, { alias: alias || null, updatedAt: now })
  return done(alias === '' ? 'Alias removed' : 'Alias set')
}

function onDevice(
  own: ModelApplication,
  body: Body,
  now: number,
  message: string,
  change: (device: ModelDevice) => unknown,
): RegistryAnswer {
  const device = find(own, body)
  if (device === null) return NO_DEVICE
  change(device)
  device.updatedAt = now
  return done(message)
}

/** Where both platforms hold the token, the device seen last. */
function one(own: ModelApplication, headers: Readonly<Record<string, string>>): RegistryAnswer {
  const { token, platform } = headers
  if (token === undefined) return MISSING
  const held = registered(own).filter((device) => device.token === token)
  const [device] = held
    .filter((device) => platform === undefined || device.platform === platform)
    .toSorted((a, b) => b.seenAt - a.seenAt)
  return device === undefined ? NO_DEVICE : { status: 200, body: recordOf(device) }
}
