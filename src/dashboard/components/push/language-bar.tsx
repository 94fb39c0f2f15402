import { useSignal } from '@preact/signals'
import { canonicalTag, languageName } from '../../client/draft-languages.ts'
import { Choices, onEnter, TextField } from '../field.tsx'

interface ChoiceProps {
  /** Tags. */
  readonly languages: readonly string[]
  /** `null`: the push's own text. */
  readonly chosen: string | null
  readonly onChoose: (language: string | null) => void
  readonly onRemove: (language: string) => void
}

/** Nothing without translations. */
export function LanguageChoice({ languages, chosen, onChoose, onRemove }: ChoiceProps) {
  if (languages.length === 0) return null
  return (
    <>
      <Choices
        legend="Text for"
        value={chosen ?? ''}
        onValue={(tag) => onChoose(tag === '' ? null : tag)}
        options={[null, ...languages].map((tag) => [tag ?? '', languageName(tag)])}
      />
      {chosen !== null && (
        <button type="button" class="quiet" onClick={() => onRemove(chosen)}>
          Remove {languageName(chosen)}
        </button>
      )}
    </>
  )
}

interface AddProps {
  readonly languages: readonly string[]
  readonly onAdd: (language: string) => void
}

export function AddLanguage({ languages, onAdd }: AddProps) {
  const typed = useSignal('')
  const problem = useSignal<string | null>(null)
  const add = (): void => {
    const tag = canonicalTag(typed.value)
    problem.value =
      tag === null ? 'Not a language tag.' : languages.includes(tag) ? `${languageName(tag)} is already there.` : null
    if (tag === null || problem.value !== null) return
    typed.value = ''
    onAdd(tag)
  }
  return (
    <details>
      <summary>{languages.length === 0 ? 'Translations' : 'Another language'}</summary>
      <TextField
        label="Language"
        placeholder="pt-BR"
        hint="A BCP 47 tag: de, pt-BR, zh-Hant. Each device gets the best match for its locale."
        problem={problem.value}
        value={typed.value}
        onValue={(text) => {
          typed.value = text
          problem.value = null
        }}
        spellcheck={false}
        autocomplete="off"
        onKeyDown={onEnter(add)}
      />
      <button type="button" onClick={add}>
        Add language
      </button>
    </details>
  )
}
