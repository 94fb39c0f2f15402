import { describe, expect, test } from 'bun:test'
import { array, assert, boolean, property, record } from 'fast-check'
import type { Audience } from '../../src/audience/filter.ts'
import { audienceFrom, storedAudience } from '../../src/audience/stored-audience.ts'
import { aFilter } from './arbitrary-filter.ts'
import { EVERYBODY } from './population.ts'

const TO_ANN: Audience = { filter: { ...EVERYBODY, users: ['ann'] } }
const TO_BOB: Audience = { filter: { ...EVERYBODY, users: ['bob'] } }
const WAVE = { turn: { zones: ['Europe/Berlin', null], asOf: 5 } }

/** What another process reads. */
const read = (stored: string): unknown => JSON.parse(stored)

describe('the audience of a push', () => {
  test('is read by the run that has stored it as it is by the next one', () => {
    const some = array(record({ filter: aFilter(0, 10), isRead: boolean() }), { maxLength: 5 })
    assert(
      property(some, (pushes) => {
        for (const { filter, isRead } of pushes) {
          const stored = storedAudience({ filter })
          if (isRead) expect(audienceFrom(stored, null)).toStrictEqual(read(stored) as Audience)
        }
      }),
    )
  })

  test('is its own, whichever was stored or read last', () => {
    const [ann, bob] = [storedAudience(TO_ANN), storedAudience(TO_BOB)]
    for (const [stored, audience] of [
      [ann, TO_ANN],
      [bob, TO_BOB],
      [bob, TO_BOB],
      [ann, TO_ANN],
    ] as const) {
      expect(audienceFrom(stored, null)).toStrictEqual(audience)
    }
  })

  test('is not parsed anew when it goes out right after it is stored', () => {
    expect(audienceFrom(storedAudience(TO_ANN), null)).toBe(TO_ANN)
  })

  test('of a wave is that of the whole push, with what the wave has', () => {
    const whole = storedAudience(TO_ANN)
    const expected = { filter: { ...TO_ANN.filter, ...WAVE.turn } }
    expect(audienceFrom(storedAudience(WAVE), whole)).toStrictEqual(expected)
    expect(audienceFrom(storedAudience(WAVE), storedAudience(TO_BOB))).toStrictEqual({
      filter: { ...TO_BOB.filter, ...WAVE.turn },
    })
    expect(audienceFrom(storedAudience(WAVE), whole)).toStrictEqual(expected)
    expect(() => audienceFrom(storedAudience(WAVE), null)).toThrow('a wave without its push')
  })
})
