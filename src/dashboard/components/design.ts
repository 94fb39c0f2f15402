// What the components page shows, and the tests of the style sheet hold.

/** Text colour and background, as custom properties of style.css. The contrast is at least 4.5. */
export const TEXT_PAIRS = [
  ['ink', 'ground'],
  ['ink', 'paper'],
  ['soft', 'ground'],
  ['soft', 'paper'],
  ['accent', 'ground'],
  ['accent', 'paper'],
  ['accent', 'tint'],
  ['accent-ink', 'accent'],
  ['good', 'good-tint'],
  ['bad', 'bad-tint'],
  ['mind', 'mind-tint'],
  ['bad', 'ground'],
  ['bad', 'paper'],
] as const

/** Contrast of at least 3. */
export const SHAPE_PAIRS = [
  ['edge', 'ground'],
  ['edge', 'paper'],
  ['accent', 'line'],
  ['second', 'ground'],
  ['good', 'line'],
  ['bad', 'line'],
] as const

/** In rem. */
export const TYPE_SCALE = [
  [1.75, 'Page heading'],
  [1.5, 'Figure'],
  [1.125, 'Section heading'],
  [1, 'Text'],
  [0.875, 'Hint'],
  [0.8125, 'Column heading, code'],
] as const

/** In px: margins, paddings and gaps. */
export const SPACES = [2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96] as const

type Rgb = readonly [red: number, green: number, blue: number]

/** WCAG 2.2 contrast ratio, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) =>
    part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** `#4338ca` or `rgb(67, 56, 202)`. */
export function rgbOf(text: string): Rgb {
  const parts = text.startsWith('#')
    ? Array.from(text.matchAll(/[0-9a-f]{2}/gi), ([hex]) => Number.parseInt(hex, 16))
    : Array.from(text.matchAll(/\d+/g), Number)
  const [red = 0, green = 0, blue = 0] = parts
  return [red, green, blue]
}
