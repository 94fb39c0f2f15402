import { useSignal } from '@preact/signals'
import { audienceOf, isNarrowed, settled } from '../../client/audience.ts'
import { textsIn } from '../../client/draft-languages.ts'
import type { Draft } from '../../client/draft.ts'
import { store, stored } from '../../client/storage.ts'
import { ChoiceField, keptIn, onEnter, TextField } from '../field.tsx'

interface Props {
  readonly application: string
  readonly draft: Draft
  readonly onChoose: (audience: Draft) => void
}

/** Audiences by name, kept in this browser only. */
export function SavedSegments({ application, draft, onChoose }: Props) {
  const segments = useSignal(readSegments(application))
  const name = useSignal('')
  const said = useSignal<string | null>(null)
  const names = Object.keys(segments.value).toSorted()
  const textOf = (audience: Draft): string => JSON.stringify(audienceOf(settled(audience)))
  const chosen = names.find((one) => textOf(segments.value[one] ?? {}) === textOf(draft)) ?? ''
  const keep = (changed: Segments, sentence: string): void => {
    if (!store(keyOf(application), JSON.stringify(changed))) {
      said.value = 'This browser blocks local storage.'
      return
    }
    segments.value = changed
    said.value = sentence
    name.value = ''
  }
  const save = (): void => {
    const wanted = name.value.trim()
    if (wanted === '') said.value = 'Give the segment a name.'
    else if (names.includes(wanted)) said.value = `There is a segment ${wanted} already.`
    else keep({ ...segments.value, [wanted]: audienceOf(settled(draft)) }, `Saved ${wanted} in this browser.`)
  }
  const remove = (): void => {
    const { [chosen]: _, ...rest } = segments.value
    keep(rest, `Deleted ${chosen}.`)
  }
  return (
    <>
      {names.length > 0 && (
        <div class="filter">
          <ChoiceField
            label="Segment"
            options={[['', 'none of the saved ones'], ...names.map((one) => [one, one] as const)]}
            value={chosen}
            onValue={(one) => onChoose(segments.value[one] ?? {})}
          />
          {chosen !== '' && (
            <button type="button" class="quiet" onClick={remove}>
              Delete<span class="unseen"> segment {chosen}</span>
            </button>
          )}
        </div>
      )}
      {chosen === '' && isNarrowed(draft) && (
        <details>
          <summary>Save this audience as a segment</summary>
          <TextField
            label="Segment name"
            hint="Kept in this browser only. The address of this page is a link to the whole push."
            {...keptIn(name)}
            onKeyDown={onEnter(save)}
          />
          <button type="button" onClick={save}>
            Save segment
          </button>
        </details>
      )}
      <p role="status" class="hint">
        {said.value}
      </p>
    </>
  )
}

type Segments = Readonly<Record<string, Draft>>

const keyOf = (application: string): string => `bellhop.segments.${application}`

function readSegments(application: string): Segments {
  try {
    const read = Object.entries(JSON.parse(stored(keyOf(application)) ?? '{}') as object)
    return Object.fromEntries(read.map(([name, draft]) => [name, audienceOf(textsIn(draft))]))
  } catch {
    // Something else was stored there.
    return {}
  }
}
