export interface Place {
  readonly lat: number
  readonly lng: number
}

/** The mean radius of the Earth, as the manual has it. */
const EARTH_KM = 6371.0088

/** Along the great circle, by the angle between two vectors, which is exact for near places and for opposite ones. */
export function distanceKm(one: Place, other: Place): number {
  const [a, b] = [vectorOf(one), vectorOf(other)]
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]] as const
  return EARTH_KM * Math.atan2(Math.hypot(...cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
}

function vectorOf({ lat, lng }: Place): readonly [number, number, number] {
  const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}
