/** In [0, 1), the same for the same words about a crash. */
type Dice = (...words: (string | number)[]) => number

/** Written completely or not at all. */
const SECTOR = 512

/** SQLite's unit of writes. */
const PAGE = 4096

/** The log of a dying process. */
interface DyingLog {
  readonly log: Uint8Array
  /** Covered by a sync. */
  readonly durable: number
  /** The file's content before the log restarted. */
  readonly before: Uint8Array
}

/** A log after a crash: what was synced, and all, nothing, a part, or scattered sectors of the rest. */
export function keptOf({ log, durable, before }: DyingLog, dice: Dice): Uint8Array {
  const how = dice('how')
  if (how >= 0.3 && how < 0.5) return log
  const sectors = Math.ceil((log.length - durable) / SECTOR)
  const cut = durable + Math.floor(dice('cut') * (sectors + 1)) * SECTOR
  if (how < 0.75) {
    const end = how < 0.3 ? durable : Math.min(cut, log.length)
    return Buffer.concat([log.subarray(0, end), before.subarray(end)])
  }
  const torn = log.slice()
  for (let sector = 0; sector < sectors; sector++) {
    if (dice('sector', sector) >= 0.5) continue
    const from = durable + sector * SECTOR
    torn.subarray(from, from + SECTOR).fill(0)
    torn.set(before.subarray(from, Math.min(from + SECTOR, torn.length)), from)
  }
  return torn
}

/** A file whose writer died: each changed page is old, new or torn. */
export function mixedOf(before: Uint8Array, after: Uint8Array, dice: Dice): Uint8Array {
  const mixed = after.slice()
  for (let from = 0; from < after.length; from += PAGE) {
    const old = before.subarray(from, from + PAGE)
    if (Buffer.compare(old, after.subarray(from, from + PAGE)) === 0) continue
    const how = dice('page', from)
    if (how < 0.4) continue
    // The whole page or its first sectors are old.
    const sectors = how < 0.8 ? PAGE / SECTOR : 1 + Math.floor((how - 0.8) * 5 * (PAGE / SECTOR - 1))
    mixed.subarray(from, from + sectors * SECTOR).fill(0)
    mixed.set(old.subarray(0, sectors * SECTOR), from)
  }
  return mixed
}
