import { expect, test } from 'bun:test'
import { wantedFilterOf } from '../../src/audience/filter-schema.ts'
import { reaching } from '../../src/push/reached-platforms.ts'

test('a push that names no platform goes to browsers where the application can send to some', () => {
  const wanted = wantedFilterOf({ tags: ['beta'] })
  const platforms = (simulated: boolean, ...providers: readonly string[]) =>
    reaching(wanted, { simulated }, () => providers.map((provider) => ({ provider }))).platforms
  expect(platforms(false)).toEqual([0, 1])
  expect(platforms(false, 'apns', 'fcm')).toEqual([0, 1])
  expect(platforms(false, 'webpush')).toEqual([0, 1, 2])
  expect(platforms(true)).toEqual([0, 1, 2])
  expect(reaching(wantedFilterOf({ platform: [2] }), { simulated: false }, () => []).platforms).toEqual([2])
})
