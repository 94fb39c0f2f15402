import { PLATFORM, PLATFORMS } from '../../platform.ts'
import type { Platform } from '../../device/device.ts'
import type { SettingType } from '../../settings/setting-type.ts'
import { either } from '../../text/format.ts'
import type { FlagSpec, ParsedArguments } from '../command.ts'

const NAMES = PLATFORMS.map((platform) => PLATFORM[platform].label)

const PLATFORM_TYPE: SettingType<Platform> = {
  expected: either(NAMES),
  placeholder: NAMES.join('|'),
  read: (text) => PLATFORMS.find((platform) => PLATFORM[platform].label === text.toLowerCase()),
}

export const platformFlag: FlagSpec = {
  name: 'platform',
  placeholder: PLATFORM_TYPE.placeholder,
  type: PLATFORM_TYPE,
  doc: 'only this platform (default: all)',
}

export function platformIn(flags: ParsedArguments['flags']): Platform | null {
  return PLATFORM_TYPE.read(flags.get('platform') ?? '') ?? null
}

export function platformsIn(flags: ParsedArguments['flags']): readonly Platform[] {
  const platform = platformIn(flags)
  return platform === null ? PLATFORMS : [platform]
}
