import { PLATFORMS } from '../../device/device.ts'
import type { Platform } from '../../device/device.ts'
import type { Problems } from '../../settings/parse.ts'
import { problems } from '../command.ts'
import type { ParsedArguments } from '../command.ts'

export const PLATFORM_NAMES = ['iOS', 'Android'] as const

/** The platforms that `--platform` leaves: without it, all. */
export function readPlatform(
  flags: ParsedArguments['flags'],
): { readonly kind: 'platforms'; readonly platforms: readonly Platform[] } | Problems {
  const text = flags.get('platform')
  if (text === undefined) return { kind: 'platforms', platforms: PLATFORMS }
  const platforms = PLATFORMS.filter((platform) => PLATFORM_NAMES[platform].toLowerCase() === text.toLowerCase())
  if (platforms.length > 0) return { kind: 'platforms', platforms }
  return problems(`--platform: "${text}" is not ios or android.`)
}
