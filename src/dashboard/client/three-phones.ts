import type { ApplicationName } from '../../admin/api-types.ts'
import { call } from './call.ts'
import { onBehalf } from './paths.ts'

/** Registers three phones with an application on the simulator, as their apps would. */
export async function registerThreePhones(application: ApplicationName['id']): Promise<void> {
  const phones = [
    { token: appleToken(), platform: '0' },
    { token: appleToken(), platform: '0' },
    { token: crypto.getRandomValues(new Uint32Array(4)).join('-'), platform: '1' },
  ]
  for (const { token, platform } of phones) {
    await call('PUT', onBehalf(application, '/deviceToken'), { body: { token, platform } })
  }
}

/** 64 hexadecimal digits. Some that begin with `bad` order a refusal from the simulator: none of these does. */
function appleToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  bytes[0] = 0xa1
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
