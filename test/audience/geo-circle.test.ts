import { expect, test } from 'bun:test'
import { assert, pre, property } from 'fast-check'
import { boxesOf, cellsNear, isInCircle } from '../../src/audience/geo-circle.ts'
import { cellOf } from '../../src/device/index/place.ts'
import { distanceKm } from '../support/distance.ts'
import type { Place } from '../support/distance.ts'
import { aCircle, aPlace } from './arbitrary-filter.ts'

const BERLIN = { lat: 52.52, lng: 13.405 }

test('distances are those that are known', () => {
  // Berlin to Paris and to Sydney, by the spherical law of cosines.
  const known: readonly (readonly [Place, number])[] = [
    [{ lat: 48.8566, lng: 2.3522 }, 877.5],
    [{ lat: -33.8688, lng: 151.2093 }, 16_094],
  ]
  for (const [place, km] of known) {
    expect(isInCircle({ ...BERLIN, radiusKm: km + 2 }, place)).toBe(true)
    expect(isInCircle({ ...BERLIN, radiusKm: km - 2 }, place)).toBe(false)
  }
  // A quarter of a meridian.
  expect(isInCircle({ lat: 0, lng: 0, radiusKm: 10_007.6 }, { lat: 90, lng: 123 })).toBe(true)
  expect(isInCircle({ lat: 0, lng: 0, radiusKm: 10_007.5 }, { lat: 90, lng: 123 })).toBe(false)
})

test('the date line and the poles are places as others', () => {
  expect(isInCircle({ lat: 0, lng: 179.99, radiusKm: 3 }, { lat: 0, lng: -179.99 })).toBe(true)
  expect(isInCircle({ lat: 0, lng: 180, radiusKm: 0.01 }, { lat: 0, lng: -180 })).toBe(true)
  expect(isInCircle({ lat: 89.99, lng: 0, radiusKm: 3 }, { lat: 89.99, lng: 180 })).toBe(true)
  expect(isInCircle({ lat: -90, lng: 0, radiusKm: 0.01 }, { lat: -90, lng: 77 })).toBe(true)
  expect(boxesOf({ lat: 0, lng: 180, radiusKm: 1 })).toHaveLength(2)
  expect(boxesOf({ lat: 89.99, lng: 7, radiusKm: 3 })).toMatchObject([{ west: -180, east: 180, north: 90 }])
})

test('nothing is further away than half of the way around', () => {
  assert(property(aPlace, aPlace, (a, b) => isInCircle({ ...a, radiusKm: 20_016 }, b)))
})

test('who is within the radius is who is no further away', () => {
  const asMeasured = property(aCircle, aPlace, (circle, place) => {
    const km = distanceKm(circle, place)
    // A millimetre is beyond what a haversine can tell, and so is, near the point opposite, a hundred metres.
    pre(Math.abs(km - circle.radiusKm) > (km > 19_900 ? 0.1 : 1e-6))
    expect(isInCircle(circle, place)).toBe(km <= circle.radiusKm)
  })
  assert(asMeasured, { numRuns: 20_000 })
})

test('the boxes of a circle hold all of it, and so do their cells', () => {
  const inBoxes = property(aCircle, aPlace, (circle, anywhere) => {
    // Also a place on its edge, or as good as.
    for (const { lat, lng } of [anywhere, ...edgeOf(circle)]) {
      if (!isInCircle(circle, { lat, lng })) continue
      const boxes = boxesOf(circle)
      expect(boxes.some((b) => b.south <= lat && lat <= b.north && b.west <= lng && lng <= b.east)).toBe(true)
      expect(cellsNear(circle, 1000)?.includes(cellOf(lat, lng)) ?? true).toBe(true)
    }
  })
  assert(inBoxes, { numRuns: 5000 })
})

test('the boxes of a circle are on the globe, and no larger than it needs', () => {
  const onGlobe = property(aCircle, (circle) => {
    for (const { south, north, west, east } of boxesOf(circle)) {
      expect([south >= -90, north <= 90, west >= -180, east <= 180]).toEqual([true, true, true, true])
      expect(south).toBeLessThanOrEqual(north)
      expect(west).toBeLessThanOrEqual(east)
      expect((north - south) / 2).toBeLessThan(circle.radiusKm / 111 + 1e-3)
    }
  })
  assert(onGlobe)
  expect(cellsNear({ ...BERLIN, radiusKm: 1 }, 100)).toHaveLength(1)
  expect(cellsNear({ ...BERLIN, radiusKm: 95 }, 100)).not.toBeNull()
  expect(cellsNear({ ...BERLIN, radiusKm: 96 }, 100)).toBeNull()
})

/** Points at the distance of the radius, less a little, in all directions. */
function edgeOf({ lat, lng, radiusKm }: Place & { readonly radiusKm: number }): Place[] {
  const [phi, lambda, angle] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180, (radiusKm * (1 - 1e-9)) / 6371.0088]
  return Array.from({ length: 24 }, (_, hour) => {
    const course = (hour * Math.PI) / 12
    const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(course)
    const east = Math.atan2(Math.sin(course) * Math.sin(angle) * Math.cos(phi), Math.cos(angle) - Math.sin(phi) * sine)
    const degrees = ((((lambda + east) * 180) / Math.PI + 540) % 360) - 180
    return { lat: (Math.asin(Math.min(Math.max(sine, -1), 1)) * 180) / Math.PI, lng: degrees }
  })
}
