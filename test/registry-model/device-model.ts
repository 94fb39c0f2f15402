import type { Place } from '../support/distance.ts'
import type { RegistryAnswer, WirePlatform } from './call.ts'
import { warningOf } from './gateway-model.ts'

/** A device that is registered, set aside until its next registration, or gone until another token takes its place. */
export interface ModelDevice {
  token: string
  readonly platform: WirePlatform
  readonly createdAt: number
  seenAt: number
  updatedAt: number
  place: Place | null
  tag: readonly string[]
  active: readonly string[]
  alias: string | null
  user: string | null
  badge: number
  timezone: string | null
  /** As the canonical tag of BCP 47. */
  locale: string | null
  state: 'registered' | 'quarantined' | 'gone'
  /** Of one that is not registered: what it had before it was gone, or another took it. */
  keptAlias: string | null
  /** Of one that came by an import: whether it has registered by itself since. */
  imported: 'waits' | 'registered' | null
}

/** What gateways have said of a token: the last word. */
export interface Feedback {
  readonly token: string
  readonly platform: WirePlatform
  readonly reason: string
  /** ISO 8601, UTC. */
  readonly at: string
}

export interface ModelApplication {
  /** In the order of their registration, by platform and token. */
  readonly devices: Map<string, ModelDevice>
  readonly feedback: Map<string, Feedback>
  /** Devices whose token has taken the place of an imported one, by that. */
  readonly adopted: Map<string, ModelDevice>
  /** Addressed, opened, taken by a gateway. */
  readonly counts: { t: number; o: number; s: number }
  /** Whether a user or alias without the secret needs a proof. */
  readonly verifies: boolean
}

/** The most tags, and the most types, of a device. */
export const MAX_LABELS = 100

/** A body as it is sent. */
export type Body = Readonly<Record<string, any>>

/** A success that says no more than that. */
export const done = (message: string, status = 200): RegistryAnswer => ({ status, body: { message } })
export const failed = (status: number, code: string): RegistryAnswer => ({ status, body: { code } })
export const MISSING = failed(409, 'MissingParameter')
export const INVALID = failed(400, 'InvalidArgument')
export const NO_DEVICE = failed(404, 'ResourceNotFound')
export const CONFLICT = failed(409, 'ConflictError')

/** Makes an alias free for `device`: it is free, of a device set aside, or `takes` it from its holder. */
export function claim(own: ModelApplication, alias: string, device: ModelDevice, takes: boolean, now: number): boolean {
  const holder = [...own.devices.values()].find((other) => other.alias === alias)
  if (holder === undefined || holder === device) return true
  if (holder.state === 'registered' && !takes) return false
  if (holder.state === 'registered') holder.updatedAt = now
  else holder.keptAlias = alias
  holder.alias = null
  return true
}

export function registered(own: ModelApplication): ModelDevice[] {
  return [...own.devices.values()].filter(({ state }) => state === 'registered')
}

export function find(own: ModelApplication, address: Body): ModelDevice | null {
  const device = own.devices.get(keyOf(address))
  return device?.state === 'registered' ? device : null
}

export function holderOn(own: ModelApplication, alias: string, platform: WirePlatform): ModelDevice | null {
  return registered(own).find((device) => device.alias === alias && device.platform === platform) ?? null
}

/** The device that a registration updates; `undefined`: it makes one. */
export function knownAs(own: ModelApplication, address: Body): ModelDevice | undefined {
  const device = own.devices.get(keyOf(address))
  return device?.state === 'gone' ? undefined : device
}

/**
 * The device of the token that another takes the place of, under that one from now on, in whatever state it was; its
 * alias comes back where nobody has it. `undefined`: there is none.
 */
export function movedTo(own: ModelApplication, body: Body, now: number): ModelDevice | undefined {
  const { token, replaces = token } = body
  const moved = replaces === token ? undefined : own.devices.get(keyOf({ ...body, token: replaces }))
  if (moved === undefined) return undefined
  own.devices.delete(keyOf(body))
  const inOrder = [...own.devices.values()]
  moved.token = token
  own.devices.clear()
  for (const device of inOrder) own.devices.set(keyOf(device), device)
  const { keptAlias } = moved
  if (keptAlias !== null) moved.alias = claim(own, keptAlias, moved, false, now) ? keptAlias : null
  return moved
}

export function newDevice(own: ModelApplication, address: Body, now: number): ModelDevice {
  const device: ModelDevice = {
    token: address['token'],
    platform: platformOf(address),
    createdAt: now,
    seenAt: now,
    updatedAt: now,
    place: null,
    tag: [],
    active: [],
    alias: null,
    user: null,
    badge: 0,
    timezone: null,
    locale: null,
    state: 'registered',
    keptAlias: null,
    imported: null,
  }
  // One that was gone is registered anew: nothing of it is kept, nor its place in the list.
  own.devices.delete(keyOf(device))
  own.devices.set(keyOf(device), device)
  return device
}

export function recordOf(device: ModelDevice, warnings: readonly string[] = []): object {
  const { token, platform, place, active, tag, alias, user, badge, timezone, locale } = device
  const ofToken = warningOf(platform, token)
  const all = ofToken === null ? warnings : [...warnings, ofToken]
  return {
    token,
    platform,
    lat: place === null ? null : String(place.lat),
    lng: place === null ? null : String(place.lng),
    active,
    tag,
    alias,
    badge,
    ...(user !== null && { user }),
    ...(timezone !== null && { timezone }),
    ...(locale !== null && { locale }),
    created_at: iso(device.createdAt),
    updated_at: iso(device.updatedAt),
    ...(all.length > 0 && { warnings: all }),
  }
}

export function keyOf(address: Body): string {
  return `${platformOf(address)} ${address['token']}`
}

export function platformOf({ platform }: Body): WirePlatform {
  return String(platform) as WirePlatform
}

/** An array of names or one, each once. */
export function namesOf(value: string | readonly string[]): readonly string[] {
  return union([value].flat(), [])
}

export function union(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])].sort()
}

export function placeOf({ lat, lng }: Body): Place {
  return { lat: Number(lat), lng: Number(lng) }
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
