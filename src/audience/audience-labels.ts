import type { Statement, Value } from '../database/statement.ts'
import type { LabelId } from './condition.ts'

/** Prepares each SQL text once. */
export type Prepare = <Row>(sql: string) => Statement<Row, readonly Value[]>

/** `label.kind`. */
const KIND = { tag: 0, type: 1 }

export function labelIds(prepare: Prepare, application: number): LabelId {
  const byName = prepare<{ id: number }>('SELECT id FROM label WHERE application = ? AND kind = ? AND name = ?')
  return (kind, name) => byName.get(application, KIND[kind], name)?.id ?? null
}
