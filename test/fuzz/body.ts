import type { Dice } from './dice.ts'

const utf8 = new TextEncoder()

/** JSON values that a field may not expect. */
const VALUES: readonly string[] = [
  'null',
  'true',
  '-0',
  '1e999',
  '-1e-999',
  '9007199254740993',
  '0.1',
  '""',
  '"0"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\uFEFF\\u202e"',
  '"+1"',
  '"1e3"',
  '[]',
  '[[]]',
  '[null]',
  '{}',
  '{"__proto__":{"token":"x"}}',
  '"2026-02-30T25:61:61Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"\'; DROP TABLE device; --"',
  '"../../etc/passwd"',
  '"http://[::1"',
]

/** Invalid UTF-8: a lone continuation, an overlong slash, a surrogate, one beyond Unicode, a truncated one. */
const NOT_UTF8 = [[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]] as const

/** Half of the time JSON that differs from `example` in a field or two. */
export function bodyOf(dice: Dice, example: object): Uint8Array {
  const text = JSON.stringify(example)
  switch (dice.whole(0, 9)) {
    case 0:
      return utf8.encode(text)
    case 1:
      return utf8.encode(deep(dice))
    case 2:
      return utf8.encode(wide(dice))
    case 3:
      return dice.bytes(dice.whole(0, 2000))
    case 4:
      return damaged(dice, utf8.encode(text))
    case 5:
      return utf8.encode(text.slice(0, dice.whole(0, text.length)))
    default:
      return utf8.encode(withFields(dice, example))
  }
}

/** Some fields missing, repeated, or with other values. */
function withFields(dice: Dice, example: object): string {
  const fields = Object.entries(example).flatMap(([name, value]): string[] => {
    const written = `${JSON.stringify(name)}:${dice.happens(30) ? anyValue(dice) : JSON.stringify(value)}`
    if (dice.happens(5)) return []
    return dice.happens(5) ? [written, `${JSON.stringify(name)}:${anyValue(dice)}`] : [written]
  })
  return `{${fields.join(',')}}`
}

function anyValue(dice: Dice): string {
  if (dice.happens(10)) return deep(dice, 200)
  if (dice.happens(10))
    return JSON.stringify(dice.pick(['é', '\u{1f680}', 'a', ' ']).repeat(dice.whole(1, dice.pick([20, 300, 5000]))))
  if (dice.happens(5)) return `[${Array.from({ length: dice.whole(1, 600) }, () => dice.pick(VALUES)).join()}]`
  return dice.pick(VALUES)
}

function deep(dice: Dice, most = dice.pick([50, 5000, 50_000])): string {
  const levels = dice.whole(1, most)
  const [open, close] = dice.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"where":{"not":', '}}'],
    ['{"all":[', ']}'],
  ] as const)
  // Sometimes without its end.
  return `${open.repeat(levels)}1${dice.happens(80) ? close.repeat(levels) : ''}`
}

/** Many fields, long names, or too much white space. */
function wide(dice: Dice): string {
  if (dice.happens(30)) return `{${' '.repeat(dice.whole(1, dice.pick([5000, 300_000])))}}`
  const names = Array.from(
    { length: dice.whole(1, dice.pick([50, 500, 20_000])) },
    (_, n) => `"${n.toString(36)}":${n}`,
  )
  return `{${names.join(',')}}`
}

function damaged(dice: Dice, bytes: Uint8Array): Uint8Array {
  const at = dice.whole(0, bytes.length)
  return Buffer.concat([bytes.subarray(0, at), Uint8Array.from(dice.pick(NOT_UTF8)), bytes.subarray(at)])
}
