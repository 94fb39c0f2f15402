import { useSignal } from '@preact/signals'
import { canonicalTag, languageName } from '../../client/draft-languages.ts'
import { TextField, keptIn } from '../field.tsx'

interface Props {
  /** Tags. */
  readonly languages: readonly string[]
  /** `null`: the push's own text. */
  readonly chosen: string | null
  readonly onChoose: (language: string | null) => void
  readonly onAdd: (language: string) => void
  readonly onRemove: (language: string) => void
}

/** In which languages a push is written, and which of them the fields have. */
export function LanguageBar({ languages, chosen, onChoose, onAdd, onRemove }: Props) {
  const typed = useSignal('')
  const problem = useSignal<string | null>(null)
  const add = (): void => {
    const tag = canonicalTag(typed.value)
    problem.value =
      tag === null ? 'That is no language tag.' : languages.includes(tag) ? `${languageName(tag)} is there.` : null
    if (tag === null || problem.value !== null) return
    typed.value = ''
    onAdd(tag)
  }
  return (
    <>
      {languages.length > 0 && (
        <fieldset class="choices">
          <legend>Text for</legend>
          {[null, ...languages].map((language) => (
            <label key={language}>
              <input type="radio" name="language" checked={language === chosen} onChange={() => onChoose(language)} />
              {languageName(language)}
            </label>
          ))}
        </fieldset>
      )}
      {chosen !== null && (
        <button type="button" class="quiet" onClick={() => onRemove(chosen)}>
          Remove {languageName(chosen)}
        </button>
      )}
      <details>
        <summary>{languages.length === 0 ? 'In several languages' : 'One more language'}</summary>
        <TextField
          label="Language"
          placeholder="pt-BR"
          hint="A tag, BCP 47: de, pt-BR, zh-Hant. A phone gets the one that fits what its app says of it best."
          problem={problem.value}
          {...keptIn(typed)}
          spellcheck={false}
          autocomplete="off"
          onKeyDown={(event) => {
            // Else it would be the whole push that is submitted.
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" onClick={add}>
          Add the language
        </button>
      </details>
    </>
  )
}
