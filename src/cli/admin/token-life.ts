import { MAX_TOKEN_DAYS } from '../../admin/token-purpose.ts'
import type { SettingType } from '../../settings/setting-type.ts'

export const tokenLife: SettingType<number | 'never'> = {
  expected: `a number of days from 1d to ${MAX_TOKEN_DAYS}d, or never`,
  placeholder: 'DAYS',
  read(text) {
    if (text === 'never') return text
    const days = Number(/^(\d{1,4})d$/.exec(text)?.[1])
    return days >= 1 && days <= MAX_TOKEN_DAYS ? days : undefined
  },
}
