import { describe, expect, test } from 'bun:test'

/** A filter, and the names of the devices that it reaches. */
export type Example = readonly [filter: object, names: string]

/** The names of the devices with these tokens, in order; a device with two of them is named twice. */
export function namesOf(devices: Readonly<Record<string, { token: string }>>, tokens: readonly string[]): string {
  const names = Object.entries(devices).flatMap(([name, { token }]) =>
    tokens.filter((other) => other === token).map(() => name),
  )
  expect(names).toHaveLength(tokens.length)
  return names.join(' ')
}

/** A test for each filter, by the sentence that it proves. */
export function testFilters(
  sentences: Readonly<Record<string, readonly Example[]>>,
  reached: (filter: object) => Promise<string>,
): void {
  for (const [sentence, examples] of Object.entries(sentences)) {
    describe(sentence, () => {
      for (const [filter, names] of examples) {
        test(`${JSON.stringify(filter)} reaches ${names || 'nobody'}`, async () => {
          expect(await reached(filter)).toBe(names)
        })
      }
    })
  }
}
