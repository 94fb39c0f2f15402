/** A quarter of a degree: 28 km from south to north. */
const CELLS_A_DEGREE = 4

/** Of longitudes; 180° is a column of its own, as it may be given beside -180°. */
const COLUMNS = 360 * CELLS_A_DEGREE + 1

/**
 * The cell of a grid in which a place lies, `device.cell` in the database. Measured on 1,000,000 devices: an R*Tree took
 * three times the room and four times as long to follow a move, and cannot give devices in the order of their ids.
 */
export function cellOf(lat: number, lng: number): number {
  return rowOf(lat) * COLUMNS + columnOf(lng)
}

/** The cells that a box lies in, `null` if they are more than `max`. Degrees; `west` <= `east`. */
export function gridCellsOf(
  { south, north, west, east }: { south: number; north: number; west: number; east: number },
  max: number,
): number[] | null {
  const [first, last] = [columnOf(west), columnOf(east)]
  const [bottom, top] = [rowOf(south), rowOf(north)]
  if ((top - bottom + 1) * (last - first + 1) > max) return null
  const cells: number[] = []
  for (let row = bottom; row <= top; row++) {
    for (let column = first; column <= last; column++) cells.push(row * COLUMNS + column)
  }
  return cells
}

function rowOf(lat: number): number {
  return Math.floor((lat + 90) * CELLS_A_DEGREE)
}

function columnOf(lng: number): number {
  return Math.floor((lng + 180) * CELLS_A_DEGREE)
}
