import { useSignal } from '@preact/signals'
import { audienceOf, isNarrowed, settled } from '../../client/audience.ts'
import type { Draft } from '../../client/draft.ts'
import { readSegments, writeSegments } from '../../client/segments.ts'
import type { Segments } from '../../client/segments.ts'
import { ChoiceField, keptIn, TextField } from '../field.tsx'

interface Props {
  /** Its ID. */
  readonly application: string
  readonly draft: Draft
  readonly onChoose: (audience: Draft) => void
}

const shelf = () => localStorage

/** Audiences by name, kept in this browser. */
export function SavedSegments({ application, draft, onChoose }: Props) {
  const segments = useSignal(readSegments(shelf, application))
  const name = useSignal('')
  const said = useSignal<string | null>(null)
  const names = Object.keys(segments.value).toSorted()
  const textOf = (audience: Draft): string => JSON.stringify(audienceOf(settled(audience)))
  const chosen = names.find((one) => textOf(segments.value[one] ?? {}) === textOf(draft)) ?? ''
  const keep = (changed: Segments, sentence: string): void => {
    try {
      writeSegments(shelf, application, changed)
      segments.value = changed
      said.value = sentence
      name.value = ''
    } catch {
      said.value = 'This browser blocks local storage.'
    }
  }
  const save = (): void => {
    const wanted = name.value.trim()
    if (wanted === '') said.value = 'Give the segment a name.'
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
            onKeyDown={(event) => {
              // Enter would submit the whole push.
              if (event.key !== 'Enter') return
              event.preventDefault()
              save()
            }}
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
