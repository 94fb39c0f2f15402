import type { ComponentChildren } from 'preact'
import type { NamedInput } from '../../../notification/options.ts'
import { own, withText } from '../../client/draft-languages.ts'
import { OPTION_INPUTS } from '../../client/draft.ts'
import type { Draft } from '../../client/draft.ts'
import type { PushProblem } from '../../client/push-problem.ts'
import { AreaField, CheckField, ChoiceField, TextField } from '../field.tsx'
import type { Options } from '../field.tsx'
import { ZONE } from '../text.ts'

export interface PushFields {
  readonly draft: Draft
  readonly set: (name: string, value: string) => void
  /** `null`: no known problem. */
  readonly problemAt: (name: string) => string | null
}

export function fieldsOf(draft: Draft, set: PushFields['set'], problem: PushProblem | null): PushFields {
  return { draft, set, problemAt: problemsIn(null, problem) }
}

/** An empty text means the push's own. */
export function fieldsIn(
  language: string,
  { draft, set }: Pick<PushFields, 'draft' | 'set'>,
  problem: PushProblem | null,
): PushFields {
  return {
    draft: own(draft, language),
    set: (name, value) => set('languages', withText(draft, language, name, value)),
    problemAt: problemsIn(language, problem),
  }
}

function problemsIn(language: string | null, problem: PushProblem | null): PushFields['problemAt'] {
  return (name) => (problem?.field === name && problem.language === language ? problem.sentence : null)
}

interface OneField {
  readonly of: PushFields
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Value before anything is typed. */
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

function Check({ of: { draft, set }, name, label }: OneField) {
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

/** Rare fields. Opens if one of them has a problem. */
function Folded({ of, summary, names, children }: FoldedFields) {
  const isAtFault = names.some((name) => of.problemAt(name) !== null)
  return (
    <details {...(isAtFault && { open: true })}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}

interface OneInput {
  readonly of: PushFields
  readonly input: NamedInput
  readonly placeholder?: string
}

function OptionField({ of, input: { name, kind, label, hint, choices = [], initial }, placeholder = '' }: OneInput) {
  const one = { of, name, label, ...(hint !== undefined && { hint }) }
  switch (kind) {
    case 'lines':
      return <Area {...one} rows={3} placeholder={placeholder} />
    case 'json':
      return <Area {...one} />
    case 'switch':
      return <Check {...one} />
    case 'choice':
      return <Choice {...one} options={[['', 'as usual'], ...choices.map((choice) => [choice, choice] as const)]} />
    case 'line':
    case 'number':
      return <Line {...one} placeholder={placeholder} {...(initial !== undefined && { initial })} />
  }
}

const inputsAmong = (among: NamedInput['among']) => OPTION_INPUTS.filter((input) => input.among === among)
const namesOf = (inputs: readonly NamedInput[]) => inputs.map(({ name }) => name)
const [TEXT, FOLDED_TEXT, MORE] = [inputsAmong('text'), inputsAmong('folded-text'), inputsAmong(undefined)]

interface Content {
  readonly of: PushFields
  /** The push's own texts, shown as placeholders in a translation. */
  readonly instead: Draft
}

export function ContentFields({ of, instead }: Content) {
  const fields = (inputs: readonly NamedInput[]) =>
    inputs.map((input) => (
      <OptionField key={input.name} of={of} input={input} placeholder={instead[input.name] ?? ''} />
    ))
  return (
    <>
      {fields(TEXT)}
      <Folded of={of} summary="Subtitle, picture, link" names={namesOf(FOLDED_TEXT)}>
        {fields(FOLDED_TEXT)}
      </Folded>
    </>
  )
}

export function WhenFields({ of }: { readonly of: PushFields }) {
  return (
    <fieldset>
      <legend>When</legend>
      <div class="pair">
        <Line
          of={of}
          name="send_at"
          type="datetime-local"
          label="Send at"
          hint={`Your local time (${ZONE}). Leave empty to send now.`}
        />
        <Line
          of={of}
          name="send_at_local"
          type="datetime-local"
          label="Send at each device’s local time"
          hint="Instead of a single time: when each device’s own clock shows it. UTC if its time zone is unknown."
        />
      </div>
    </fieldset>
  )
}

export function MoreFields({ of }: { readonly of: PushFields }) {
  const fields = (isHere: (kind: NamedInput['kind']) => boolean) =>
    MORE.filter(({ kind }) => isHere(kind)).map((input) => <OptionField key={input.name} of={of} input={input} />)
  return (
    <Folded of={of} summary="More options" names={namesOf(MORE)}>
      <div class="pair">{fields((kind) => kind !== 'switch' && kind !== 'json')}</div>
      {fields((kind) => kind === 'switch')}
      {fields((kind) => kind === 'json')}
    </Folded>
  )
}
