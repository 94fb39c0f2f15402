import type { ApplicationName } from '../../admin/api-types.ts'
import { call } from './call.ts'
import { onBehalf } from './paths.ts'

export interface SimulatedPhone {
  readonly token: string
  readonly platform: '0' | '1'
  readonly label: string
}

/** Registers three phones with an application on the simulator, as their apps would. */
export async function registerThreePhones(application: ApplicationName['id']): Promise<readonly SimulatedPhone[]> {
  const phones: readonly SimulatedPhone[] = [
    { token: appleToken(), platform: '0', label: 'An iPhone' },
    { token: `phone-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`, platform: '1', label: 'A Pixel' },
    { token: appleToken(), platform: '0', label: 'An iPad' },
  ]
  for (const { token, platform } of phones) {
    await call('PUT', onBehalf(application, '/deviceToken'), { body: { token, platform } })
  }
  return phones
}

/** 64 hexadecimal digits. Some that begin with `bad` order a refusal from the simulator: none of these does. */
function appleToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  bytes[0] = 0xa1
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
