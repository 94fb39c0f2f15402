import { PLATFORM_NAMES, PLATFORMS } from '../../device/device.ts'
import type { Platform } from '../../device/device.ts'
import type { SettingType } from '../../settings/setting-type.ts'
import type { FlagSpec, ParsedArguments } from '../command.ts'

const PLATFORM: SettingType<Platform> = {
  expected: 'ios, android or web',
  placeholder: 'ios|android|web',
  read: (text) => PLATFORMS.find((platform) => PLATFORM_NAMES[platform].toLowerCase() === text.toLowerCase()),
}

export const platformFlag: FlagSpec = {
  name: 'platform',
  placeholder: PLATFORM.placeholder,
  type: PLATFORM,
  doc: 'devices of one platform (default: all)',
}

/** The platform that --platform names; `null`: it does not stand. */
export function platformIn(flags: ParsedArguments['flags']): Platform | null {
  return PLATFORM.read(flags.get('platform') ?? '') ?? null
}

/** The platforms that --platform leaves: without it, all. */
export function platformsIn(flags: ParsedArguments['flags']): readonly Platform[] {
  const platform = platformIn(flags)
  return platform === null ? PLATFORMS : [platform]
}
