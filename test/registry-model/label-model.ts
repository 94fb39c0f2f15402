import type { RegistryAnswer } from './call.ts'
import {
  done,
  failed,
  find,
  holderOn,
  INVALID,
  MAX_LABELS,
  MISSING,
  namesOf,
  NO_DEVICE,
  platformOf,
  union,
} from './device-model.ts'
import type { Body, ModelApplication, ModelDevice } from './device-model.ts'

export function tag(own: ModelApplication, body: Body, withSecret: boolean, now: number): RegistryAnswer {
  const device = labelled(own, body, withSecret)
  if ('status' in device) return device
  const tags = union(device.tag, namesOf(body['tag']))
  if (tags.length > MAX_LABELS) return INVALID
  // Nothing has changed where it had them all.
  if (tags.length > device.tag.length) Object.assign(device, { tag: tags, updatedAt: now })
  return done('Tagged', 201)
}

export function untag(own: ModelApplication, body: Body, withSecret: boolean, now: number): RegistryAnswer {
  const device = labelled(own, body, withSecret)
  if ('status' in device) return device
  const gone = namesOf(body['tag'])
  const left = device.tag.filter((name) => !gone.includes(name))
  if (left.length < device.tag.length) Object.assign(device, { tag: left, updatedAt: now })
  return done('Untagged')
}

/** The device that a call about labels names: by its token, or, which needs the secret, by its alias alone. */
function labelled(own: ModelApplication, body: Body, withSecret: boolean): ModelDevice | RegistryAnswer {
  if (namesOf(body['tag']).length === 0) return MISSING
  if (body['token'] !== undefined) return find(own, body) ?? NO_DEVICE
  if (body['Alias'] === undefined) return MISSING
  if (!withSecret) return failed(400, 'InvalidHeader')
  return holderOn(own, body['Alias'], platformOf(body)) ?? NO_DEVICE
}
