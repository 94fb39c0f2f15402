import { ALL_PLATFORMS, PLATFORMS } from '../../client/platforms.ts'
import { OPTION_INPUTS } from '../../client/draft.ts'
import type { Draft } from '../../client/draft.ts'
import type { NamedInput } from '../../../notification/options.ts'
import { CheckField } from '../field.tsx'
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
      <legend>Audience</legend>
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
      {platforms.size === 0 && <p class="problem">Choose at least one platform.</p>}
      <Line
        of={of}
        name="tags"
        label="Has any of these tags"
        hint="Separate tags with commas. Leave empty to send to everyone."
      />
      <Folded of={of} summary="More filters" names={MORE_FILTERS}>
        <Choice
          of={of}
          name="tags_match"
          label="Tags must match"
          options={[
            ['', 'any of them'],
            ['all', 'all of them'],
          ]}
        />
        <Line of={of} name="except_tags" label="Has none of these tags" />
        <Line of={of} name="active" label="Has any of these types" />
        <Line of={of} name="except_active" label="Has none of these types" />
        <Line of={of} name="users" label="Belongs to one of these users" />
        <Line of={of} name="except_users" label="Belongs to none of these users" />
        <Line of={of} name="alias" label="Has this alias" />
        <Line of={of} name="except_alias" label="Has another alias, or none" />
        <div class="pair">
          <Line of={of} name="seen_within" label="Active in the last … days" />
          <Line of={of} name="not_seen_for" label="Not active for … days" />
          <Line of={of} name="registered_within" label="Registered in the last … days" />
          <Line of={of} name="token" label="Only this device token" hint="Leave the other filters empty." />
        </div>
        <Line of={of} name="near" label="Near a place" hint='{"lat": 52.52, "lng": 13.405, "radius_km": 25}' />
        <Area
          of={of}
          name="where"
          label="Advanced filter (JSON)"
          hint='{"all": [{"tag": "vip"}, {"not": {"seen_within": 7}}]}'
        />
      </Folded>
    </fieldset>
  )
}

const MORE_FILTERS =
  'tags_match except_tags active except_active users except_users alias except_alias seen_within not_seen_for registered_within token near where'.split(
    ' ',
  )

const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

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
          label="Send at each device's local time"
          hint="Instead of the other: each device gets it at this time of its own zone."
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
