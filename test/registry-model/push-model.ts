import { isAddressed } from './audience-model.ts'
import type { FilterBody } from './audience-model.ts'
import type { RegistryAnswer, WirePlatform } from './call.ts'
import { MISSING, find, INVALID, iso, keyOf, NO_DEVICE, registered } from './device-model.ts'
import type { Body, ModelApplication, ModelDevice } from './device-model.ts'
import { atGateway, badgeAfter, fateOf } from './gateway-model.ts'

/** What a push to one needs. */
export const NEEDED_BY_ONE = ['platform', 'token', 'msg', 'sound', 'badge']

const NARROWING: readonly (keyof FilterBody)[] = [
  'tags',
  'except_tags',
  'active',
  'except_active',
  'alias',
  'except_alias',
  'users',
  'except_users',
  'near',
  'seen_within',
  'not_seen_for',
  'registered_within',
  'where',
]

/** Why a push to many is refused: without a filter it is a broadcast, which must have its four fields. */
export function faultOf(body: Body): RegistryAnswer | null {
  const content = ['msg', 'sound', 'badge']
  const isBroadcast = NARROWING.every((name) => body[name] === undefined)
  if (isBroadcast) return ['platform', ...content].every((name) => body[name] !== undefined) ? null : MISSING
  // Something must be sent; "" says nothing.
  return content.some((name) => body[name] !== undefined && body[name] !== '') ? null : MISSING
}

export function addressed(own: ModelApplication, { platform, ...filter }: Body, now: number): ModelDevice[] {
  // One is read as a list of one, and a number as its digits.
  const platforms = platform === undefined ? {} : { platform: [platform].flat().map(String) as WirePlatform[] }
  return registered(own).filter((device) => isAddressed({ ...filter, ...platforms }, device, now))
}

/** What the gateways answer is over when the push is. */
export function push(own: ModelApplication, to: readonly ModelDevice[], body: Body, now: number): RegistryAnswer {
  const reached: string[] = []
  own.counts.t += to.length
  for (const device of to) {
    const { token, platform } = device
    // Taken or not.
    const badge = badgeAfter(body['badge'] ?? '', device.badge)
    if (badge !== device.badge) Object.assign(device, { badge, updatedAt: now })
    const fate = fateOf(platform, token)
    if (fate !== null) own.feedback.set(keyOf(device), { token, platform, reason: fate.reason, at: iso(now) })
    if (fate !== null) device.state = fate.state
    if (fate?.state === 'gone') Object.assign(device, { alias: null, keptAlias: device.alias })
    if (fate !== null) continue
    own.counts.s++
    reached.push(atGateway(platform, token))
  }
  return { status: 200, body: { message: 'Queued' }, reached: reached.sort() }
}

export function previewToAll(own: ModelApplication, body: Body, now: number): RegistryAnswer {
  return faultOf(body) ?? previewOf(addressed(own, body, now))
}

export function previewToOne(own: ModelApplication, body: Body): RegistryAnswer {
  if (Array.isArray(body['platform'])) return INVALID
  const device = find(own, body)
  return device === null ? NO_DEVICE : previewOf([device])
}

/** The first five of each platform are shown. */
function previewOf(devices: readonly ModelDevice[]): RegistryAnswer {
  const on = (platform: WirePlatform) => devices.filter((device) => device.platform === platform)
  const [ios, android, web] = [on('0'), on('1'), on('2')]
  const sample = [ios, android, web].flatMap((some) => some.slice(0, 5))
  return {
    status: 200,
    body: {
      t: devices.length,
      // Clients of before there were browsers know two.
      platforms: { '0': ios.length, '1': android.length, ...(web.length > 0 && { '2': web.length }) },
      sample: sample.map(({ token, platform, alias }) => ({ token, platform, alias })),
    },
  }
}
