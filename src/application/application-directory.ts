import type { Database } from '../database/database.ts'
import type { ApplicationStore } from './application-store.ts'
import type { Application } from './application.ts'

interface Options {
  readonly database: Pick<Database, 'version'>
  readonly applications: Pick<ApplicationStore, 'list'>
}

export type ApplicationDirectory = ReturnType<typeof createApplicationDirectory>

/** All applications, in memory, so that admission needs no database. */
export function createApplicationDirectory({ database, applications }: Options) {
  const listeners = new Set<() => void>()
  let version = Number.NaN
  let all: readonly Application[] = []
  let byId = new Map<string, Application>()
  let byNumber = new Map<number, Application>()

  function load(): void {
    // Before the list, so that the next refresh sees what is committed between the two.
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
    byId: (id: string): Application | null => byId.get(id) ?? null,
    byNumber: (number: number): Application | null => byNumber.get(number) ?? null,
    /** In order of creation. */
    all: (): readonly Application[] => all,
    /**
     * Reloads if another process has committed since the last call, and returns whether it has. Costs 2 µs otherwise.
     * After this process's own commits call `reload`.
     */
    refresh(): boolean {
      if (database.version() === version) return false
      reload()
      return true
    },
    reload,
    /** Runs after each reload, even if only other tables changed. The returned function removes the listener. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
