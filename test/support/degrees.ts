/** Degrees as clients give them, good for lat and lng, and how they are written. */
export const READABLE_DEGREES: readonly (readonly [given: unknown, written: string])[] = [
  ['52.520008', '52.520008'],
  [52.520008, '52.520008'],
  ['+1.50', '1.5'],
  ['007', '7'],
  ['.5', '0.5'],
  ['-5.', '-5'],
  [-0, '0'],
  ['-0.0', '0'],
  [90, '90'],
  ['-90', '-90'],
  [1e-7, '0.0000001'],
  ['-0.00000012', '-0.00000012'],
]
