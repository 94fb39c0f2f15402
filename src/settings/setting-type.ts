import { DAY_MS, HOUR_MS, MINUTE_MS } from '../clock.ts'

export interface SettingType<Value> {
  /** Ends the sentence `"…" is not `. */
  readonly expected: string
  /** Stands for the value in a usage line: `--listen HOST:PORT`. */
  readonly placeholder: string
  /** A `switch` has no value and reads as `''`; a `list` may be given again. Default: once, with one. */
  readonly flag?: 'switch' | 'list'
  /** `undefined`: not a value of this type. */
  read(text: string): Value | undefined
  /** The part of a value to quote in a complaint; default: all of it. */
  wrongPart?(text: string): string | undefined
  /** The value for display, without secrets; default: the text (of a secret, nothing). */
  show?(value: Value): string
}

export const path: SettingType<string> = {
  expected: 'a path',
  placeholder: 'PATH',
  read: (text) => (text === '' || text.includes('\0') ? undefined : text),
}

/** 32 bytes in base64 (44 characters, or 43) or hex (64); kept as text. */
export const sealingKey: SettingType<string> = {
  expected: '32 bytes in base64 (44 characters) or hex (64), such as "openssl rand -base64 32" prints',
  placeholder: 'KEY',
  read(text) {
    const digits = text.trim()
    return /^(?:[0-9a-f]{64}|[\w+/-]{43}=?)$/i.test(digits) ? digits : undefined
  },
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** A time of at least `minMs`, such as `24h`; its value is in milliseconds. At most 365 days. */
export function duration(minMs: number): SettingType<number> {
  return {
    expected: `a time such as 90s, 15m, 24h or 7d${minMs === 0 ? '' : `, of at least ${minMs / 1000} seconds`}`,
    placeholder: 'TIME',
    read(text) {
      const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
      const value = Number(count) * (UNITS_MS[unit] ?? Number.NaN)
      return value >= minMs && value <= 365 * DAY_MS ? value : undefined
    },
  }
}

export function integer(min: number, max: number): SettingType<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    placeholder: 'N',
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

export function choice<const Choice extends string>(...choices: readonly Choice[]): SettingType<Choice> {
  return {
    expected: `one of ${choices.join(', ')}`,
    placeholder: choices.join('|'),
    read: (text) => choices.find((choice) => choice === text),
  }
}

export const onOff: SettingType<boolean> = {
  expected: 'on or off',
  placeholder: '',
  flag: 'switch',
  read(text) {
    if (['', 'on', 'true', '1', 'yes'].includes(text.toLowerCase())) return true
    return ['off', 'false', '0', 'no'].includes(text.toLowerCase()) ? false : undefined
  },
  show: (value) => (value ? 'on' : 'off'),
}
