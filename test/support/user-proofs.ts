import { createHmac } from 'node:crypto'
import { newCaller } from './caller.ts'
import type { Caller } from './caller.ts'
import type { FakeClock } from './fake-clock.ts'
import { expectFailure } from './refusals.ts'
import type { Answer, Service } from './service.ts'

export const DEVICE = { token: 'ab'.repeat(32), platform: '0' }
export const OTHER = { token: 'cd'.repeat(32), platform: '0' }

/** As a backend makes it. */
export function proofOf(key: string, name: string, form: 'hex' | 'base64url' = 'hex'): string {
  return createHmac('sha256', key).update(name).digest(form)
}

/** An application with a user key, and calls that its app makes with the application id alone. */
export interface ProvingShop extends Caller {
  readonly key: string
  /** A proof under its key. */
  proof(name: string): string
  /** PUT /deviceToken of DEVICE, unless `body` has another. */
  say(body: object): Promise<Answer>
  /** PUT /alias of DEVICE. */
  alias(body: object): Promise<Answer>
  /** The record of a device; `undefined`: there is none. */
  record(token?: string): Promise<object | undefined>
}

/** The clock moves on by as much as the service takes to follow. */
export function newProvingShop(service: Service, clock: FakeClock, verifyUsers: boolean): ProvingShop {
  const caller = newCaller(service)
  const key = service.makeUserKey(caller.application)
  service.limit(caller.application, { verifyUsers })
  clock.advance(1000)
  return {
    ...caller,
    key,
    proof: (name) => proofOf(key, name),
    say: (body) => caller.put('/deviceToken', { ...DEVICE, ...body }, 'device'),
    alias: (body) => caller.put('/alias', { ...DEVICE, ...body }, 'device'),
    record: async (token = DEVICE.token) => (await caller.devices()).find((device) => device.token === token),
  }
}

export function expectUnproven(answer: Answer, message: string): void {
  expectFailure(answer, 401, 'InvalidCredentials', message)
}

/** How a sentence ends that asks for a proof. */
export const PROOF_NEEDED = 'or X-SERVICE-SECRET: this application verifies its users.'
export const USER_NEEDED = `user needs user_proof, ${PROOF_NEEDED}`
export const ALIAS_NEEDED = `alias needs alias_proof, ${PROOF_NEEDED}`

/** What is said of a proof that is wrong, in the field `proof`. */
export function wrongProof(field: 'user' | 'alias', proof = `${field}_proof`): string {
  return `${proof} is no proof of this ${field} under a user key of the application.`
}
