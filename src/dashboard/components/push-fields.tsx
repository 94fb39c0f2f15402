import type { Draft } from '../client/draft.ts'
import { AreaField, CheckField, ChoiceField, TextField } from './field.tsx'

interface Props {
  readonly draft: Draft
  readonly set: (name: string, value: string) => void
}

/** What it says. */
export function ContentFields({ draft, set }: Props) {
  return (
    <>
      <TextField label="Title" value={draft['title'] ?? ''} onValue={(value) => set('title', value)} />
      <AreaField label="Message" rows={3} value={draft['msg'] ?? ''} onValue={(value) => set('msg', value)} />
    </>
  )
}

/** To whom it goes. */
export function AudienceFields({ draft, set }: Props) {
  const platforms = new Set((draft['platform'] ?? '0,1').split(',').filter((part) => part !== ''))
  const toggle = (platform: string, isOn: boolean): void => {
    if (isOn) platforms.add(platform)
    else platforms.delete(platform)
    set('platform', [...platforms].toSorted().join(','))
  }
  const line = (name: string, label: string, hint?: string) => (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      value={draft[name] ?? ''}
      onValue={(value) => set(name, value)}
    />
  )
  return (
    <fieldset>
      <legend>To whom</legend>
      <div class="checks">
        <CheckField label="iOS" checked={platforms.has('0')} onValue={(value) => toggle('0', value)} />
        <CheckField label="Android" checked={platforms.has('1')} onValue={(value) => toggle('1', value)} />
      </div>
      {line('tags', 'With one of these tags', 'With commas between them. Nothing here: everybody.')}
      <details>
        <summary>Narrower</summary>
        <ChoiceField
          label="Of the tags"
          value={draft['tags_match'] ?? ''}
          onValue={(value) => set('tags_match', value)}
          options={[
            ['', 'one is enough'],
            ['all', 'all of them'],
          ]}
        />
        {line('except_tags', 'Without these tags')}
        {line('active', 'With one of these types')}
        {line('except_active', 'Without these types')}
        {line('users', 'These users')}
        {line('except_users', 'Without these users')}
        {line('alias', 'This alias')}
        {line('except_alias', 'Without this alias')}
        <div class="pair">
          {line('seen_within', 'Seen within, days')}
          {line('not_seen_for', 'Not seen for, days')}
          {line('registered_within', 'Registered within, days')}
          {line('token', 'One device: its token', 'Leave the rest empty.')}
        </div>
        {line('near', 'Near a place', '{"lat": 52.52, "lng": 13.405, "radius_km": 25}')}
        <AreaField
          label="An expression"
          hint='{"all": [{"tag": "vip"}, {"not": {"seen_within": 7}}]}'
          value={draft['where'] ?? ''}
          onValue={(value) => set('where', value)}
        />
      </details>
    </fieldset>
  )
}

/** When it goes out. */
export function WhenFields({ draft, set }: Props) {
  return (
    <fieldset>
      <legend>When</legend>
      <div class="pair">
        <TextField
          type="datetime-local"
          label="At a moment"
          hint="By this machine's clock. Empty: at once."
          value={draft['send_at'] ?? ''}
          onValue={(value) => set('send_at', value)}
        />
        <TextField
          type="datetime-local"
          label="Or when each phone's clock shows"
          hint="In the zone of each device."
          value={draft['send_at_local'] ?? ''}
          onValue={(value) => set('send_at_local', value)}
        />
      </div>
    </fieldset>
  )
}

/** What else the API has. */
export function MoreFields({ draft, set }: Props) {
  const line = (name: string, label: string, hint?: string) => (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      value={draft[name] ?? ''}
      onValue={(value) => set(name, value)}
    />
  )
  const area = (name: string, label: string, hint: string) => (
    <AreaField label={label} hint={hint} value={draft[name] ?? ''} onValue={(value) => set(name, value)} />
  )
  return (
    <details>
      <summary>More options</summary>
      <div class="pair">
        {line('subtitle', 'Subtitle', 'iOS.')}
        {line('image', 'Picture', 'Its address. It is not loaded here.')}
        {line('link', 'Link', 'Opened by your app: shop://orders/17')}
        <TextField
          label="Sound"
          hint="Empty: none."
          value={draft['sound'] ?? 'default'}
          onValue={(value) => set('sound', value)}
        />
        {line('badge', 'Badge', '+1, 5, or empty: as it is.')}
        {line('collapse', 'Replaces what has the name', 'order-17')}
        {line('ttl', 'Good for, in seconds', 'A day is 86400.')}
        {line('category', 'Category', 'iOS: which buttons it has.')}
        {line('thread', 'Thread', 'iOS: what it is grouped by.')}
        {line('channel', 'Channel', 'Android.')}
        <ChoiceField
          label="Priority"
          value={draft['priority'] ?? ''}
          onValue={(value) => set('priority', value)}
          options={[
            ['', 'as usual'],
            ['high', 'high'],
            ['normal', 'normal'],
          ]}
        />
        <ChoiceField
          label="Interruption"
          hint="iOS."
          value={draft['interruption'] ?? ''}
          onValue={(value) => set('interruption', value)}
          options={[
            ['', 'as usual'],
            ['passive', 'passive'],
            ['active', 'active'],
            ['time-sensitive', 'time-sensitive'],
            ['critical', 'critical'],
          ]}
        />
      </div>
      <CheckField
        label="Silent: it wakes the app, and shows nothing"
        checked={draft['silent'] === 'true'}
        onValue={(value) => set('silent', value ? 'true' : '')}
      />
      <CheckField
        label="The app may change it before it is shown (iOS)"
        checked={draft['mutable'] === 'true'}
        onValue={(value) => set('mutable', value ? 'true' : '')}
      />
      {area('payload', 'Payload', 'What your app gets besides: {"order": 17}')}
      {area('languages', 'Languages', '{"de": {"title": "Unterwegs", "msg": "Dein Paket kommt heute."}}')}
      {area('apns', 'For Apple alone', 'Merged into the body last.')}
      {area('fcm', 'For Google alone', 'Merged into the message last.')}
    </details>
  )
}
