import { Database } from 'bun:sqlite'

/* Tracks a process's SQLite connections to close them when it dies, and compiles statements on first use: a life of a second needs few of the four hundred that a start prepares. */

const open = new Set<Database>()
/** Last `synchronous` pragma by connection. */
const levels = new WeakMap<Database, string>()
let isSynced = true
let made: { finalize(): void }[] = []

type Prepare = Database['prepare']
type Real = ReturnType<Prepare>

class LateStatement {
  readonly #make: () => Real
  #made: Real | null = null

  constructor(make: () => Real) {
    this.#make = make
  }

  get #real(): Real {
    if (this.#made === null) made.push((this.#made = this.#make()))
    return this.#made
  }

  get(...params: any[]) {
    return this.#real.get(...params)
  }
  all(...params: any[]) {
    return this.#real.all(...params)
  }
  values(...params: any[]) {
    return this.#real.values(...params)
  }
  iterate(...params: any[]) {
    return this.#real.iterate(...params)
  }
  run(...params: any[]) {
    return this.#real.run(...params)
  }
  finalize() {
    this.#made?.finalize()
    this.#made = null
  }
}

export function watchConnections(): void {
  // oxlint-disable-next-line typescript/unbound-method -- each is applied to a connection below
  const { prepare, run, close } = Database.prototype
  Object.assign(Database.prototype, {
    prepare(this: Database, ...args: Parameters<Prepare>) {
      open.add(this)
      return new LateStatement(() => prepare.apply(this, args))
    },
    run(this: Database, ...args: Parameters<Database['run']>) {
      open.add(this)
      const [text] = args
      if (text.startsWith('PRAGMA synchronous')) levels.set(this, text)
      // FULL is the default.
      if (text.startsWith('PRAGMA wal_checkpoint')) isSynced = levels.get(this)?.endsWith('OFF') !== true
      return run.apply(this, args)
    },
    close(this: Database, ...args: Parameters<Database['close']>) {
      open.delete(this)
      return close.apply(this, args)
    },
  })
}

/** Whether the last checkpoint was made by a connection that syncs. */
export const hasSynced = (): boolean => isSynced

/** Closes everything, as the kernel does for a dead process. */
export function closeConnections(): void {
  for (const statement of made) statement.finalize()
  made = []
  for (const database of open) database.close(false)
  open.clear()
}
