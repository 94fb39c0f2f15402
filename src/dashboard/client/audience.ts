import type { Draft } from './draft.ts'

export interface AudienceFilter {
  readonly name: string
  readonly label: string
  /** `place`: latitude, longitude and radius, as JSON. */
  readonly kind: 'list' | 'text' | 'days' | 'place' | 'json'
  readonly hint?: string
}

/** In the order of the form. */
export const FILTERS: readonly AudienceFilter[] = [
  { name: 'tags', label: 'Has any of these tags', kind: 'list', hint: 'Leave empty to send to everyone.' },
  { name: 'except_tags', label: 'Has none of these tags', kind: 'list' },
  { name: 'active', label: 'Has any of these types', kind: 'list' },
  { name: 'except_active', label: 'Has none of these types', kind: 'list' },
  { name: 'users', label: 'Belongs to one of these users', kind: 'list' },
  { name: 'except_users', label: 'Belongs to none of these users', kind: 'list' },
  { name: 'alias', label: 'Has this alias', kind: 'text' },
  { name: 'except_alias', label: 'Does not have this alias', kind: 'text' },
  { name: 'seen_within', label: 'Active in the last … days', kind: 'days' },
  { name: 'not_seen_for', label: 'Not active for … days', kind: 'days' },
  { name: 'registered_within', label: 'Registered in the last … days', kind: 'days' },
  { name: 'near', label: 'Near a place', kind: 'place' },
  {
    name: 'token',
    label: 'Only this device token',
    kind: 'text',
    hint: 'Choose its platform, and remove the other filters.',
  },
  {
    name: 'where',
    label: 'Advanced filter (JSON)',
    kind: 'json',
    hint: '{"all": [{"tag": "vip"}, {"not": {"seen_within": 7}}]}',
  },
]

export function namesOf(kind: AudienceFilter['kind']): readonly string[] {
  return FILTERS.filter((filter) => filter.kind === kind).map(({ name }) => name)
}

const NAMES = ['platform', 'tags_match', ...FILTERS.map(({ name }) => name)]

/** The filters of a draft that are set. */
export function audienceOf(draft: Draft): Draft {
  return Object.fromEntries(NAMES.map((name) => [name, draft[name] ?? ''] as const).filter(([, text]) => text !== ''))
}

export function withAudience(draft: Draft, audience: Draft): Draft {
  const rest = Object.entries(draft).filter(([name]) => !NAMES.includes(name))
  return { ...Object.fromEntries(rest), ...audienceOf(audience) }
}

/** Platforms don't count. */
export function isNarrowed(draft: Draft): boolean {
  return FILTERS.some(({ name }) => (draft[name] ?? '').trim() !== '')
}

export function listIn(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** `items`: ended by a comma or a newline. `rest`: still being typed. */
export function typedList(text: string): { readonly items: readonly string[]; readonly rest: string } {
  const end = Math.max(text.lastIndexOf(','), text.lastIndexOf('\n'))
  return { items: listIn(text.slice(0, end + 1)), rest: text.slice(end + 1) }
}

/** The reverse of `typedList`. */
export function listText(items: readonly string[], rest: string): string {
  return items.map((item) => `${item},`).join('') + rest
}

/** Ends the last item of each list, so that it is shown as a chip. */
export function settled(draft: Draft): Draft {
  const lists = namesOf('list')
  return Object.fromEntries(
    Object.entries(draft).map(([name, text]) => [name, lists.includes(name) ? listText(listIn(text), '') : text]),
  )
}
