import type { RegistryAnswer } from './call.ts'
import { failed, INVALID, keyOf, registered } from './device-model.ts'
import type { Body, ModelApplication, ModelDevice } from './device-model.ts'

const UNPROVEN = failed(401, 'InvalidCredentials')

/** What stands in a body for the proof of a name, until the call is made with that of the application. */
export const proofOf = (name: string): string => `the proof of ${name}`

/** What proves the alias: its own proof, or that of a user who is the same, or is not said. */
function proofOfAlias({ user = '', alias = '', user_proof, alias_proof }: Body): string | undefined {
  return alias_proof ?? (user === '' || user === alias ? user_proof : undefined)
}

/** Whether the alias of a call is proven, so that it moves from another device. */
export function provesAlias(body: Body): boolean {
  return proofOfAlias(body) !== undefined
}

/** A proof is of something, and right; where users are verified, whoever has no secret gives one. `null`: so it is. */
export function unproven(own: ModelApplication, body: Body, withSecret: boolean): RegistryAnswer | null {
  const { user = '', alias = '', user_proof, alias_proof } = body
  if (alias_proof !== undefined && alias === '') return INVALID
  if (user_proof !== undefined && user === '' && (alias === '' || alias_proof !== undefined)) return INVALID
  const judged = [
    [user, user_proof],
    [alias, proofOfAlias(body)],
  ].filter(([name]) => name !== '')
  const isBad = ([name, proof]: (typeof judged)[number]) =>
    proof === undefined ? own.verifies && !withSecret : proof !== proofOf(name)
  return judged.some(isBad) ? UNPROVEN : null
}

/** The same of what `replaces` would bring along, beside what the call says and what its own device has. */
export function bringsUnproven(
  own: ModelApplication,
  body: Body,
  twin: ModelDevice | undefined,
  withSecret: boolean,
): RegistryAnswer | null {
  const { token, replaces = token } = body
  const brought = replaces === token ? undefined : own.devices.get(keyOf({ ...body, token: replaces }))
  if (brought === undefined || !own.verifies || withSecret) return null
  // A name that is proven is so as both.
  const isBrought = (said: unknown, had: string | null) =>
    (said ?? null) === null && had !== null && had !== body['user'] && had !== body['alias']
  const alias = brought.alias ?? (isFree(own, brought.keptAlias) ? brought.keptAlias : null)
  const isUnproven =
    isBrought(body['user'] ?? twin?.user, brought.user) || isBrought(body['alias'] ?? twin?.alias, alias)
  return isUnproven ? UNPROVEN : null
}

function isFree(own: ModelApplication, alias: string | null): boolean {
  return registered(own).every((device) => device.alias !== alias)
}
