import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { FILTERS, listIn } from '../../client/audience.ts'
import type { AudienceFilter } from '../../client/audience.ts'
import { ALL_PLATFORMS, PLATFORMS } from '../../client/platforms.ts'
import type { Previewed } from '../../client/preview.ts'
import { ChipsField } from '../chips-field.tsx'
import { CheckField, TextField } from '../field.tsx'
import { Area, Choice, Line } from './push-fields.tsx'
import type { PushFields } from './push-fields.tsx'
import { PreviewedAudience } from './push-preview.tsx'
import { SavedSegments } from './saved-segments.tsx'

interface Props {
  readonly application: string
  readonly of: PushFields
  readonly previewed: Previewed
  readonly onSegment: (audience: PushFields['draft']) => void
}

/** Filters are added one by one. Shows how many devices match. */
export function AudienceFields({ application, of, previewed, onSegment }: Props) {
  const added = useSignal<readonly string[]>([])
  const isShown = ({ name }: AudienceFilter): boolean =>
    name === 'tags' || (of.draft[name] ?? '') !== '' || added.value.includes(name) || of.problemAt(name) !== null
  const offered = FILTERS.filter((filter) => !isShown(filter))
  return (
    <fieldset>
      <legend>Audience</legend>
      <SavedSegments key={application} application={application} draft={of.draft} onChoose={onSegment} />
      <Platforms of={of} />
      {FILTERS.filter(isShown).map((filter) => (
        <Filter
          key={filter.name}
          of={of}
          filter={filter}
          isNew={added.value.includes(filter.name)}
          onRemove={() => {
            added.value = added.value.filter((name) => name !== filter.name)
            of.set(filter.name, '')
          }}
        />
      ))}
      {offered.length > 0 && (
        <details>
          <summary>Add a filter</summary>
          <div class="checks">
            {offered.map(({ name, label }) => (
              <button
                key={name}
                type="button"
                class="quiet"
                onClick={() => {
                  added.value = [...added.value, name]
                }}
              >
                {label}
              </button>
            ))}
          </div>
        </details>
      )}
      <PreviewedAudience {...previewed} />
    </fieldset>
  )
}

function Platforms({ of: { draft, set, problemAt } }: Pick<Props, 'of'>) {
  const chosen = new Set(listIn(draft['platform'] ?? ALL_PLATFORMS.join()))
  const toggle = (platform: string, isOn: boolean): void => {
    if (isOn) chosen.add(platform)
    else chosen.delete(platform)
    set('platform', [...chosen].toSorted().join(','))
  }
  const problem = chosen.size === 0 ? 'Choose at least one platform.' : problemAt('platform')
  return (
    <>
      <div class="checks">
        {ALL_PLATFORMS.map((one) => (
          <CheckField
            key={one}
            label={PLATFORMS[one].name}
            checked={chosen.has(one)}
            onValue={(value) => toggle(one, value)}
          />
        ))}
      </div>
      {problem !== null && <p class="problem">{problem}</p>}
    </>
  )
}

interface FilterProps {
  readonly of: PushFields
  readonly filter: AudienceFilter
  /** Just added, so it takes the focus. */
  readonly isNew: boolean
  readonly onRemove: () => void
}

function Filter({ of, filter, isNew, onRemove }: FilterProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isNew) row.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [])
  return (
    <div class="filter" ref={row}>
      <FilterField of={of} filter={filter} />
      {filter.name === 'tags' && listIn(of.draft['tags'] ?? '').length > 1 && (
        <Choice
          of={of}
          name="tags_match"
          label="Tags must match"
          options={[
            ['', 'any of them'],
            ['all', 'all of them'],
          ]}
        />
      )}
      {filter.name !== 'tags' && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            row.current?.previousElementSibling?.querySelector<HTMLElement>('input, textarea')?.focus()
            onRemove()
          }}
        >
          Remove<span class="unseen"> filter: {filter.label}</span>
        </button>
      )}
    </div>
  )
}

function FilterField({ of, filter: { name, kind, label: own, hint } }: Pick<FilterProps, 'of' | 'filter'>) {
  const label = name === 'tags' && of.draft['tags_match'] === 'all' ? 'Has all of these tags' : own
  const known = { of, name, label, ...(hint !== undefined && { hint }) }
  switch (kind) {
    case 'list':
      return (
        <ChipsField
          label={label}
          {...(hint !== undefined && { hint })}
          problem={of.problemAt(name)}
          value={of.draft[name] ?? ''}
          onValue={(value) => of.set(name, value)}
        />
      )
    case 'place':
      return <Place of={of} name={name} label={label} />
    case 'json':
      return <Area {...known} rows={3} />
    case 'text':
    case 'days':
      return <Line {...known} />
  }
}

const PARTS = [
  ['lat', 'Latitude'],
  ['lng', 'Longitude'],
  ['radius_km', 'Radius, km'],
] as const

/** The API accepts the numbers as text. */
function Place({ of, name, label }: { readonly of: PushFields; readonly name: string; readonly label: string }) {
  const place = placeIn(of.draft[name] ?? '')
  const problem = of.problemAt(name)
  const change = (part: string, value: string): void => {
    const changed = Object.entries({ ...place, [part]: value.trim() }).filter(([, text]) => text !== '')
    of.set(name, changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed)))
  }
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="pair">
        {PARTS.map(([part, text]) => (
          <TextField key={part} label={text} value={place[part] ?? ''} onValue={(value) => change(part, value)} />
        ))}
      </div>
      {problem !== null && <p class="problem">{problem}</p>}
    </fieldset>
  )
}

function placeIn(text: string): Readonly<Record<string, string>> {
  try {
    const read = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(read.map(([part, value]) => [part, String(value)]))
  } catch {
    return {}
  }
}
