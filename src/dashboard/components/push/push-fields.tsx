import { ALL_PLATFORMS, PLATFORMS } from '../../client/platforms.ts'
import type { Draft } from '../../client/draft.ts'
import { OPTION_INPUTS } from '../../../notification/options.ts'
import { CheckField } from '../field.tsx'
import { Area, Check, Choice, Folded, Line } from './push-field.tsx'
import type { PushFields } from './push-field.tsx'

type OptionInput = (typeof OPTION_INPUTS)[number]

interface OneInput {
  readonly of: PushFields
  readonly input: OptionInput
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

const inputsAmong = (among: OptionInput['among']) => OPTION_INPUTS.filter((input) => input.among === among)
const namesOf = (inputs: readonly OptionInput[]) => inputs.map(({ name }) => name)
const [TEXT, FOLDED_TEXT, MORE] = [inputsAmong('text'), inputsAmong('folded-text'), inputsAmong(undefined)]

interface Content {
  readonly of: PushFields
  /** What stands where nothing is typed. */
  readonly instead: Draft
}

/** What it says. */
export function ContentFields({ of, instead }: Content) {
  const fields = (inputs: readonly OptionInput[]) =>
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

/** To whom it goes. */
export function AudienceFields({ of }: { readonly of: PushFields }) {
  const { draft, set } = of
  const platforms = new Set((draft['platform'] ?? ALL_PLATFORMS.join()).split(',').filter((part) => part !== ''))
  const toggle = (platform: string, isOn: boolean): void => {
    if (isOn) platforms.add(platform)
    else platforms.delete(platform)
    set('platform', [...platforms].toSorted().join(','))
  }
  return (
    <fieldset>
      <legend>To whom</legend>
      <div class="checks">
        {ALL_PLATFORMS.map((one) => (
          <CheckField
            key={one}
            label={PLATFORMS[one].name}
            checked={platforms.has(one)}
            onValue={(value) => toggle(one, value)}
          />
        ))}
      </div>
      {platforms.size === 0 && <p class="problem">No platform is chosen.</p>}
      <Line
        of={of}
        name="tags"
        label="With one of these tags"
        hint="With commas between them. Nothing here: everybody."
      />
      <Folded of={of} summary="Narrower" names={NARROWER}>
        <Choice
          of={of}
          name="tags_match"
          label="Of the tags"
          options={[
            ['', 'one is enough'],
            ['all', 'all of them'],
          ]}
        />
        <Line of={of} name="except_tags" label="Without these tags" />
        <Line of={of} name="active" label="With one of these types" />
        <Line of={of} name="except_active" label="Without these types" />
        <Line of={of} name="users" label="These users" />
        <Line of={of} name="except_users" label="Without these users" />
        <Line of={of} name="alias" label="This alias" />
        <Line of={of} name="except_alias" label="Without this alias" />
        <div class="pair">
          <Line of={of} name="seen_within" label="Seen within, days" />
          <Line of={of} name="not_seen_for" label="Not seen for, days" />
          <Line of={of} name="registered_within" label="Registered within, days" />
          <Line of={of} name="token" label="One device: its token" hint="Leave the rest empty." />
        </div>
        <Line of={of} name="near" label="Near a place" hint='{"lat": 52.52, "lng": 13.405, "radius_km": 25}' />
        <Area
          of={of}
          name="where"
          label="An expression"
          hint='{"all": [{"tag": "vip"}, {"not": {"seen_within": 7}}]}'
        />
      </Folded>
    </fieldset>
  )
}

/** What stands behind "Narrower". */
const NARROWER =
  'tags_match except_tags active except_active users except_users alias except_alias seen_within not_seen_for registered_within token near where'.split(
    ' ',
  )

/** When it goes out. */
export function WhenFields({ of }: { readonly of: PushFields }) {
  return (
    <fieldset>
      <legend>When</legend>
      <div class="pair">
        <Line
          of={of}
          name="send_at"
          type="datetime-local"
          label="At a moment"
          hint="By this machine's clock. Empty: at once."
        />
        <Line
          of={of}
          name="send_at_local"
          type="datetime-local"
          label="Or when each phone's clock shows"
          hint="In the zone of each device."
        />
      </div>
    </fieldset>
  )
}

/** What else the API has: small fields in pairs, then switches, then JSON. */
export function MoreFields({ of }: { readonly of: PushFields }) {
  const fields = (isHere: (kind: OptionInput['kind']) => boolean) =>
    MORE.filter(({ kind }) => isHere(kind)).map((input) => <OptionField key={input.name} of={of} input={input} />)
  return (
    <Folded of={of} summary="More options" names={namesOf(MORE)}>
      <div class="pair">{fields((kind) => kind !== 'switch' && kind !== 'json')}</div>
      {fields((kind) => kind === 'switch')}
      {fields((kind) => kind === 'json')}
    </Folded>
  )
}
