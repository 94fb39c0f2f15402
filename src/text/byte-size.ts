const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** `980 bytes`, `1.2 GB`: by thousands, as disks are sold and `df -H` counts. */
export function byteSize(bytes: number): string {
  let unit = 0
  let count = bytes
  while (count >= 999.5 && unit < UNITS.length - 1) {
    count /= 1000
    unit += 1
  }
  return `${unit === 0 || count >= 9.95 ? Math.round(count) : count.toFixed(1)} ${UNITS[unit]}`
}
