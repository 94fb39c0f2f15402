import type { ComponentChildren } from 'preact'
import { own, withText } from '../../client/draft-languages.ts'
import type { Draft } from '../../client/draft.ts'
import type { PushProblem } from '../../client/push-problem.ts'
import { AreaField, CheckField, ChoiceField, TextField } from '../field.tsx'
import type { Options } from '../field.tsx'

/** The fields of a push by their names in the API. */
export interface PushFields {
  readonly draft: Draft
  readonly set: (name: string, value: string) => void
  /** What is wrong with a field; `null`: nothing is known to be. */
  readonly problemAt: (name: string) => string | null
}

export function fieldsOf(draft: Draft, set: PushFields['set'], problem: PushProblem | null): PushFields {
  const problemAt = (name: string) => (problem?.field === name && problem.language === null ? problem.sentence : null)
  return { draft, set, problemAt }
}

/** The texts of one of its languages; what is empty there is the push's own. */
export function fieldsIn(
  language: string,
  { draft, set }: Pick<PushFields, 'draft' | 'set'>,
  problem: PushProblem | null,
): PushFields {
  return {
    draft: own(draft, language),
    set: (name, value) => set('languages', withText(draft, language, name, value)),
    problemAt: (name) => (problem?.field === name && problem.language === language ? problem.sentence : null),
  }
}

interface OneField {
  readonly of: PushFields
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** What it has before anything is typed. */
  readonly initial?: string
}

const known = ({ of: { draft, set, problemAt }, name, label, hint, initial = '' }: OneField) => ({
  label,
  ...(hint !== undefined && { hint }),
  problem: problemAt(name),
  value: draft[name] ?? initial,
  onValue: (value: string) => set(name, value),
})

type LineProps = OneField & { readonly placeholder?: string; readonly type?: 'text' | 'datetime-local' }

export function Line({ placeholder = '', type = 'text', ...one }: LineProps) {
  return <TextField {...known(one)} placeholder={placeholder} type={type} />
}

export function Area({ rows = 2, placeholder = '', ...one }: OneField & { rows?: number; placeholder?: string }) {
  return <AreaField {...known(one)} rows={rows} placeholder={placeholder} />
}

export function Choice({ options, ...one }: OneField & { readonly options: Options }) {
  return <ChoiceField {...known(one)} options={options} />
}

export function Check({ of: { draft, set }, name, label }: OneField) {
  return (
    <CheckField label={label} checked={draft[name] === 'true'} onValue={(value) => set(name, value ? 'true' : '')} />
  )
}

interface FoldedFields {
  readonly of: PushFields
  readonly summary: string
  readonly names: readonly string[]
  readonly children: ComponentChildren
}

/** Fields that few pushes need: folded away, unless something is wrong with one of them. */
export function Folded({ of, summary, names, children }: FoldedFields) {
  const isAtFault = names.some((name) => of.problemAt(name) !== null)
  return (
    <details {...(isAtFault && { open: true })}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
