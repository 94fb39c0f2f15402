import { OPTION_INPUTS } from '../../client/draft.ts'
import type { Draft } from '../../client/draft.ts'
import type { NamedInput } from '../../../notification/options.ts'
import { ZONE } from '../text.ts'
import { Area, Check, Choice, Folded, Line } from './push-field.tsx'
import type { PushFields } from './push-field.tsx'

interface OneInput {
  readonly of: PushFields
  readonly input: NamedInput
  /** What stands where nothing is typed. */
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
  /** What stands where nothing is typed. */
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
          hint="Instead of a single time: when each device’s own clock shows it."
        />
      </div>
    </fieldset>
  )
}

/** What else the API has: small fields in pairs, then switches, then JSON. */
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
