import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { contrast, rgbOf, SHAPE_PAIRS, SPACES, TEXT_PAIRS, TYPE_SCALE } from '../../src/dashboard/components/design.ts'
import { niceTop } from '../../src/dashboard/components/text.ts'

const style = await Bun.file(join(import.meta.dir, '../../src/dashboard/style.css')).text()
/** Lock screens imitate phones, not our design. */
const [own = '', phones] = style.split('/* Lock screens have their own light and dark. */')

function valuesOf(property: RegExp): readonly string[] {
  return Array.from(own.matchAll(new RegExp(`^\\s*(?:${property.source}): ([^;]+);`, 'gm')), ([, value = '']) => value)
}

describe('the style sheet', () => {
  const colours = new Map(
    Array.from(own.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g), ([, name = '', light = '', dark = '']) => [
      name,
      [light, dark] as const,
    ]),
  )

  test('has enough contrast in both schemes', () => {
    const low: string[] = []
    for (const [pairs, least] of [
      [TEXT_PAIRS, 4.5],
      [SHAPE_PAIRS, 3],
    ] as const) {
      for (const [one, other] of pairs) {
        for (const scheme of [0, 1] as const) {
          const ratio = contrast(rgbOf(colours.get(one)?.[scheme] ?? ''), rgbOf(colours.get(other)?.[scheme] ?? ''))
          if (!(ratio >= least)) low.push(`${one} on ${other}, ${scheme === 0 ? 'light' : 'dark'}: ${ratio.toFixed(2)}`)
        }
      }
    }
    expect(low).toEqual([])
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
    expect(contrast(rgbOf('#777777'), rgbOf('rgb(255, 255, 255)'))).toBeCloseTo(4.48, 2)
  })

  test('has no size of text and no space outside its scales, and no colour without a name', () => {
    expect(phones).toBeDefined()
    const sizes = valuesOf(/font-size/).map((value) => Number.parseFloat(value))
    const scale = TYPE_SCALE.map(([rem]) => rem)
    expect(sizes.filter((rem) => !scale.some((one) => one === rem))).toEqual([])
    expect(sizes.length).toBeGreaterThan(5)

    const spaces = valuesOf(/(?:margin|padding)(?:-\w+)?|(?:row-|column-)?gap/)
      .flatMap((value) => Array.from(value.matchAll(/(-?\d+)px/g), ([, px]) => Math.abs(Number(px))))
      .filter((px) => px !== 0)
    expect(spaces.filter((px) => !SPACES.some((one) => one === px))).toEqual([])
    expect(spaces.length).toBeGreaterThan(50)

    const named = own.slice(own.indexOf('* {'))
    // A shadow, a backdrop and the QR code.
    expect(Array.from(named.matchAll(/#[0-9a-f]{3,8}\b/g), ([hex]) => hex)).toEqual(['#0006', '#0008', '#fff', '#000'])
  })
})

test('each class of a component has a rule, so nothing is drawn as a browser happens to draw it', async () => {
  const ruled = new Set(Array.from(style.matchAll(/\.([a-z][a-z0-9-]*)/g), ([, name]) => name))
  const folder = join(import.meta.dir, '../../src/dashboard')
  const bare: string[] = []
  let classes = 0
  for await (const file of new Glob('**/*.tsx').scan(folder)) {
    const source = await Bun.file(join(folder, file)).text()
    for (const [, names = ''] of source.matchAll(/class="([^"]+)"/g)) {
      for (const name of names.split(' ')) {
        classes++
        if (!ruled.has(name)) bare.push(`${name} in ${file}`)
      }
    }
  }
  expect(bare).toEqual([])
  expect(classes).toBeGreaterThan(100)
})

test('the top of a chart is a round number whose half is one too', () => {
  expect([1, 2, 3, 5, 20, 21, 99, 100, 4001].map(niceTop)).toEqual([1, 2, 4, 10, 20, 40, 100, 100, 10_000])
})
