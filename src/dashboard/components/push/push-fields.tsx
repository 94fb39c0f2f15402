import { ALL_PLATFORMS, PLATFORMS } from '../../client/platforms.ts'
import type { Draft } from '../../client/draft.ts'
import { CheckField, TextField } from '../field.tsx'
import { Area, Check, Choice, Folded, Line } from './push-field.tsx'
import type { PushFields } from './push-field.tsx'

interface Content {
  readonly of: PushFields
  /** What stands where nothing is typed. */
  readonly instead: Draft
}

/** What it says. */
export function ContentFields({ of, instead }: Content) {
  const placeholder = (name: string): string => instead[name] ?? ''
  return (
    <>
      <Line of={of} name="title" label="Title" placeholder={placeholder('title')} />
      <Area of={of} name="msg" label="Message" rows={3} placeholder={placeholder('msg')} />
      <Folded of={of} summary="Subtitle, picture, link" names={['subtitle', 'image', 'link']}>
        <Line of={of} name="subtitle" label="Subtitle" hint="iOS." placeholder={placeholder('subtitle')} />
        <Line
          of={of}
          name="image"
          label="Picture"
          hint="Its address. It is not loaded here."
          placeholder={placeholder('image')}
        />
        <Line
          of={of}
          name="link"
          label="Link"
          hint="Opened by your app: shop://orders/17"
          placeholder={placeholder('link')}
        />
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

/** What else the API has. */
export function MoreFields({ of }: { readonly of: PushFields }) {
  const { draft, set, problemAt } = of
  return (
    <Folded of={of} summary="More options" names={MORE}>
      <div class="pair">
        <TextField
          label="Sound"
          hint="Empty: none."
          problem={problemAt('sound')}
          value={draft['sound'] ?? 'default'}
          onValue={(value) => set('sound', value)}
        />
        <Line of={of} name="badge" label="Badge" hint="+1, 5, or empty: as it is." />
        <Line of={of} name="collapse" label="Replaces what has the name" hint="order-17" />
        <Line of={of} name="ttl" label="Good for, in seconds" hint="A day is 86400." />
        <Line of={of} name="category" label="Category" hint="iOS: which buttons it has." />
        <Line of={of} name="thread" label="Thread" hint="iOS: what it is grouped by." />
        <Line of={of} name="channel" label="Channel" hint="Android." />
        <Choice
          of={of}
          name="priority"
          label="Priority"
          options={[
            ['', 'as usual'],
            ['high', 'high'],
            ['normal', 'normal'],
          ]}
        />
        <Choice
          of={of}
          name="interruption"
          label="Interruption"
          hint="iOS."
          options={[
            ['', 'as usual'],
            ['passive', 'passive'],
            ['active', 'active'],
            ['time-sensitive', 'time-sensitive'],
            ['critical', 'critical'],
          ]}
        />
      </div>
      <Check of={of} name="silent" label="Silent: it wakes the app, and shows nothing" />
      <Check of={of} name="mutable" label="The app may change it before it is shown (iOS)" />
      <Area of={of} name="payload" label="Payload" hint={'What your app gets besides: {"order": 17}'} />
      <Area of={of} name="apns" label="For Apple alone" hint="Merged into the body last." />
      <Area of={of} name="fcm" label="For Google alone" hint="Merged into the message last." />
    </Folded>
  )
}

/** What stands behind "More options". */
const MORE =
  'sound badge collapse ttl category thread channel priority interruption silent mutable payload apns fcm'.split(' ')
