import { gridCellsOf } from '../device/index/place.ts'

export interface GeoCircle {
  /** Degrees, ±90. */
  readonly lat: number
  /** Degrees, ±180. */
  readonly lng: number
  readonly radiusKm: number
}

/** Degrees, inclusive; `west` <= `east`. */
export interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** Mean radius of the Earth (IUGG, R1 of GRS 80, Moritz 2000). */
const EARTH_KM = 6371.0088

const FURTHEST_KM = Math.PI * EARTH_KM

export const MIN_RADIUS_KM = 0.01

/** Half the circumference and more, also at the equator of WGS 84. */
export const MAX_RADIUS_KM = 20_038

/** Degrees, about a centimetre, for rounding. */
const MARGIN_DEGREES = 1e-7

/** A haversine grows with the distance, from 0 to 1. Comparing haversines needs no inverse per device. */
export function maxHaversine(radiusKm: number): number {
  // Rounding may put the opposite point above 1.
  return radiusKm >= FURTHEST_KM ? 2 : Math.sin(radiusKm / EARTH_KM / 2) ** 2
}

/** Along the great circle. */
export function isInCircle(
  { lat, lng, radiusKm }: GeoCircle,
  place: { readonly lat: number; readonly lng: number },
): boolean {
  const south = Math.sin(radians((place.lat - lat) / 2))
  const west = Math.sin(radians((place.lng - lng) / 2))
  const haversine = south * south + cosine(lat) * cosine(place.lat) * west * west
  return haversine <= maxHaversine(radiusKm)
}

/** Two boxes if the circle crosses the date line. */
export function boxesOf({ lat, lng, radiusKm }: GeoCircle): readonly Box[] {
  const angle = degrees(Math.min(radiusKm / EARTH_KM, Math.PI)) + MARGIN_DEGREES
  const south = Math.max(lat - angle, -90)
  const north = Math.min(lat + angle, 90)
  // A pole is inside, with all meridians.
  if (lat + angle >= 90 || lat - angle <= -90) return [{ south, north, west: -180, east: 180 }]
  // The meridian touches the circle nearer to the pole than its centre.
  const aside = degrees(Math.asin(Math.sin(radians(angle)) / cosine(lat))) + MARGIN_DEGREES
  const [west, east] = [lng - aside, lng + aside]
  if (east - west >= 360) return [{ south, north, west: -180, east: 180 }]
  if (west < -180) return [part(-180, east), part(west + 360, 180)]
  if (east > 180) return [part(-180, east - 360), part(west, 180)]
  return [part(west, east)]

  function part(west: number, east: number): Box {
    return { south, north, west, east }
  }
}

/** `null`: more than `max` cells. */
export function cellsNear(near: GeoCircle, max: number): readonly number[] | null {
  const cells: number[] = []
  for (const box of boxesOf(near)) {
    const more = gridCellsOf(box, max - cells.length)
    if (more === null) return null
    cells.push(...more)
  }
  return cells
}

export function cosine(ofDegrees: number): number {
  return Math.cos(radians(ofDegrees))
}

function radians(angleDegrees: number): number {
  return (angleDegrees * Math.PI) / 180
}

function degrees(angleRadians: number): number {
  return (angleRadians * 180) / Math.PI
}
