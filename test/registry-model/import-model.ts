import type { RegistryAnswer } from './call.ts'
import { keyOf, namesOf, newDevice } from './device-model.ts'
import type { Body, ModelApplication, ModelDevice } from './device-model.ts'

/**
 * A row of another service's list, on its way in. Who registered here since the list was made stays, and so does who is
 * not there any more; a token whose place another has taken does not come again.
 */
export function bring(own: ModelApplication, body: Body): RegistryAnswer {
  const { seenAt, user = null } = body
  const known = own.devices.get(keyOf(body))
  if (known === undefined) {
    if (isAdopted(own, body)) return outcome('kept')
    const device = newDevice(own, body, seenAt)
    Object.assign(device, { user, tag: namesOf(body['tag'] ?? []), imported: 'waits' })
    return outcome('imported')
  }
  if (known.state !== 'registered' || seenAt < known.seenAt) return outcome('kept')
  const before = JSON.stringify(known)
  known.seenAt = seenAt
  known.user = user ?? known.user
  if (body['tag'] !== undefined) known.tag = namesOf(body['tag'])
  if (JSON.stringify(known) === before) return outcome('unchanged')
  known.updatedAt = Math.max(known.updatedAt, seenAt)
  return outcome('updated')
}

/** The token of the imported device whose place a registration takes; `undefined`: of none. */
export function toAdopt(own: ModelApplication, body: Body): string | undefined {
  if (!body['user'] || isAdopted(own, body)) return undefined
  const all = [...own.devices.values()]
  const known = own.devices.get(keyOf(body))
  const place = known === undefined || known.state === 'gone' ? all.length : all.indexOf(known)
  if (known !== undefined && (known.imported !== null || (known.state !== 'gone' && known.user !== null)))
    return undefined
  const [first] = all
    .slice(0, place)
    .filter(
      ({ imported, user, platform }) =>
        imported === 'waits' && user === body['user'] && platform === String(body['platform']),
    )
    .toSorted((a, b) => Number(isAway(a)) - Number(isAway(b)) || b.seenAt - a.seenAt)
  return first?.token
}

/** Whether another token of its user has taken the place of this one, and still has it. */
function isAdopted(own: ModelApplication, body: Body): boolean {
  const holder = own.adopted.get(keyOf(body))
  return holder !== undefined && [...own.devices.values()].includes(holder)
}

function isAway({ state }: ModelDevice): boolean {
  return state !== 'registered'
}

function outcome(kind: string): RegistryAnswer {
  return { status: 200, body: { kind, aliasTaken: false } }
}
