import type { Database } from '../database/database.ts'
import type { ApplicationStore } from './application-store.ts'
import type { Application } from './application.ts'

/**
 * The applications as the running server sees them: all of them in memory, so that admission asks no database.
 * Commands work on the same file from other processes; `refresh` is how their changes arrive.
 */
export interface ApplicationDirectory {
  byId(id: string): Application | null
  byNumber(number: number): Application | null
  /** In the order of their creation. */
  all(): readonly Application[]
  /**
   * Reloads when another connection has committed since the last look; true when it did. Cheap (about 2 µs) when
   * nothing has. This process's own commits do not show here.
   */
  refresh(): boolean
  /** Loads them again in any case: after a change that this process has committed itself. */
  reload(): void
  /**
   * `listener` runs after each reload and each refresh that found something, also when only other tables, such as credentials, have
   * changed. The returned function ends it.
   */
  onChange(listener: () => void): () => void
}

interface Options {
  readonly database: Pick<Database, 'version'>
  readonly applications: Pick<ApplicationStore, 'list'>
}

export function createApplicationDirectory({ database, applications }: Options): ApplicationDirectory {
  const listeners = new Set<() => void>()
  let version = Number.NaN
  let all: readonly Application[] = []
  let byId = new Map<string, Application>()
  let byNumber = new Map<number, Application>()

  function load(): void {
    // Before the list: what is committed between the two is then seen by the next refresh, not by none.
    version = database.version()
    all = applications.list()
    byId = new Map(all.map((application) => [application.id, application]))
    byNumber = new Map(all.map((application) => [application.number, application]))
  }

  function reload(): void {
    load()
    for (const listener of listeners) listener()
  }

  load()

  return {
    byId: (id) => byId.get(id) ?? null,
    byNumber: (number) => byNumber.get(number) ?? null,
    all: () => all,
    refresh() {
      if (database.version() === version) return false
      reload()
      return true
    },
    reload,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
