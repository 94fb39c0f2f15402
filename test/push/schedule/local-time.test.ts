import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LATE_MS, momentIn, waveIn, wavesOf } from '../../../src/push/schedule/local-time.ts'

const HOUR_MS = 60 * 60 * 1000
const ZONES = [null, ...Intl.supportedValuesOf('timeZone')]

const at = (text: string) => Date.parse(text)

describe('the moment at which clocks show a time', () => {
  test('is by the zone', () => {
    expect(momentIn('2026-12-24T09:00', 'Europe/Berlin')).toBe(at('2026-12-24T08:00Z'))
    expect(momentIn('2026-07-24T09:00', 'Europe/Berlin')).toBe(at('2026-07-24T07:00Z'))
    expect(momentIn('2026-12-24T09:00:30', 'Asia/Kolkata')).toBe(at('2026-12-24T03:30:30Z'))
    expect(momentIn('2026-12-24T09:00', 'Pacific/Kiritimati')).toBe(at('2026-12-23T19:00Z'))
  })

  test('is that of UTC where the zone is not known, to anybody or to this runtime', () => {
    expect(momentIn('2026-12-24T09:00', null)).toBe(at('2026-12-24T09:00Z'))
    expect(momentIn('2026-12-24T09:00', 'Mars/Olympus')).toBe(at('2026-12-24T09:00Z'))
  })

  test('is later where they skip it, by as much as they skip', () => {
    expect(momentIn('2027-03-28T02:30', 'Europe/Berlin')).toBe(at('2027-03-28T01:30Z'))
    expect(momentIn('2027-03-14T02:30', 'America/New_York')).toBe(at('2027-03-14T07:30Z'))
    expect(momentIn('2026-10-04T02:15', 'Australia/Lord_Howe')).toBe(at('2026-10-03T15:45Z'))
  })

  test('is the first of the two where they show it twice', () => {
    expect(momentIn('2026-10-25T02:30', 'Europe/Berlin')).toBe(at('2026-10-25T00:30Z'))
    expect(momentIn('2026-11-01T01:30', 'America/New_York')).toBe(at('2026-11-01T05:30Z'))
  })
})

/** Wall-clock times of three years, so that every change of clocks is among them, and when they are asked for. */
const asked = fc
  .record({
    wall: fc.integer({ min: Date.UTC(2026, 0) / 60_000, max: Date.UTC(2029, 0) / 60_000 }),
    aheadMs: fc.integer({ min: -30 * HOUR_MS, max: 90 * 24 * HOUR_MS }),
    holdMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 24 * HOUR_MS })),
  })
  .map(({ wall, aheadMs, holdMs }) => {
    const acceptedAt = wall * 60_000 - aheadMs
    return { wall: new Date(wall * 60_000).toISOString().slice(0, 16), acceptedAt, earliest: acceptedAt + holdMs }
  })

describe('the waves of a push by local time', () => {
  test('are in order, none before the earliest, and no more than there are offsets', () => {
    fc.assert(
      fc.property(asked, ({ wall, acceptedAt, earliest }) => {
        const waves = wavesOf(wall, acceptedAt, earliest)
        expect(waves).toEqual([...new Set(waves)].sort((a, b) => a - b))
        expect(waves.every((wave) => wave >= earliest)).toBe(true)
        expect(waves.length).toBeLessThan(50)
      }),
      { numRuns: 50 },
    )
  })

  test('have every zone exactly once: at its moment, or where that is over at once, or not at all after an hour', () => {
    fc.assert(
      fc.property(asked, ({ wall, acceptedAt, earliest }) => {
        const waves = wavesOf(wall, acceptedAt, earliest)
        for (const zone of ZONES) {
          const moment = momentIn(wall, zone)
          const expected = moment < acceptedAt - LATE_MS ? null : Math.max(moment, earliest)
          expect({ zone, wave: waveIn(wall, zone, waves, acceptedAt) }).toEqual({ zone, wave: expected })
        }
      }),
      { numRuns: 50 },
    )
  })

  test('have a place for a zone that nobody knew: no earlier than its moment, unless it is the last of all', () => {
    const offset = fc
      .record({ sign: fc.constantFrom('+', '-'), minutes: fc.integer({ min: 0, max: 23 * 60 + 59 }) })
      .map(({ sign, minutes }) => {
        const two = (n: number) => String(n).padStart(2, '0')
        return `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
      })
    fc.assert(
      fc.property(asked, offset, ({ wall, acceptedAt, earliest }, zone) => {
        const waves = wavesOf(wall, acceptedAt, earliest)
        const moment = momentIn(wall, zone)
        const wave = waveIn(wall, zone, waves, acceptedAt)
        if (moment < acceptedAt - LATE_MS || waves.length === 0) expect(wave).toBeNull()
        else expect(wave).toBe(waves.find((one) => one >= moment) ?? waves.at(-1) ?? null)
      }),
      { numRuns: 200 },
    )
  })
})
