import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { call } from './call.ts'
import type { MAGIC } from './magic-phones.ts'
import { onBehalf } from './paths.ts'

/** Registers three phones with an application on the simulator, as their apps would. */
export async function registerThreePhones(application: ApplicationName['id']): Promise<void> {
  const register = (platform: '0' | '1', tokens: readonly string[]) =>
    call('PUT', onBehalf(application, '/deviceToken/batch'), { body: { platform, tokens } })
  await Promise.all([register('0', [tokenFor('0'), tokenFor('0')]), register('1', [tokenFor('1')])])
}

/** Registers a phone, or a browser of the simulator; by how its token begins, the simulator may be told to refuse what is sent there. */
export async function registerPhone(
  application: ApplicationName['id'],
  platform: keyof typeof MAGIC,
  start = '',
): Promise<void> {
  const body = { token: tokenFor(platform, start), platform, ...(platform === '2' && { keys: EXAMPLE_KEYS }) }
  await call('PUT', onBehalf(application, '/deviceToken'), { body })
}

/** Of the subscription in RFC 8291, appendix A, for which the simulator can read what arrives. */
const EXAMPLE_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

function tokenFor(platform: keyof typeof MAGIC, start = ''): string {
  if (platform === '0') return appleToken(start)
  const random = start + crypto.getRandomValues(new Uint32Array(4)).join('-')
  return platform === '1' ? random : `https://simulator.invalid/${random}`
}

/** 64 hexadecimal digits. Those that begin with `bad` order a refusal: without a start none does. */
function appleToken(start: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${start === '' ? 'a1' : start}${random}`.slice(0, 64)
}
