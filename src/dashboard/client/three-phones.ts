import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { call } from './call.ts'
import { onBehalf } from './paths.ts'

/** Registers three phones with an application on the simulator, as their apps would. */
export async function registerThreePhones(application: ApplicationName['id']): Promise<void> {
  const register = (platform: '0' | '1', tokens: readonly string[]) =>
    call('PUT', onBehalf(application, '/deviceToken/batch'), { body: { platform, tokens } })
  await Promise.all([register('0', [tokenFor('0'), tokenFor('0')]), register('1', [tokenFor('1')])])
}

/** Registers a phone; by how its token begins, the simulator may be told to refuse what is sent there. */
export async function registerPhone(
  application: ApplicationName['id'],
  platform: '0' | '1',
  start = '',
): Promise<void> {
  await call('PUT', onBehalf(application, '/deviceToken'), { body: { token: tokenFor(platform, start), platform } })
}

function tokenFor(platform: '0' | '1', start = ''): string {
  return platform === '0' ? appleToken(start) : start + crypto.getRandomValues(new Uint32Array(4)).join('-')
}

/** 64 hexadecimal digits. Those that begin with `bad` order a refusal: without a start none does. */
function appleToken(start: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${start === '' ? 'a1' : start}${random}`.slice(0, 64)
}
