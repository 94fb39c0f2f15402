import { listText, typedList } from '../client/audience.ts'
import { TextField } from './field.tsx'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly problem: string | null
  /** Separated by commas. */
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A comma or Enter turns the text into a chip. Unfinished text already counts. */
export function ChipsField({ value, onValue, hint = '', ...field }: Props) {
  const { items, rest } = typedList(value)
  return (
    <div>
      <TextField
        {...field}
        hint={`Separate with commas. ${hint}`}
        value={rest}
        onValue={(typed) => onValue(listText(items, typed))}
        spellcheck={false}
        autocomplete="off"
        onKeyDown={(event) => {
          // Enter in an empty field submits the form.
          if (event.key === 'Enter' && rest.trim() !== '') {
            event.preventDefault()
            onValue(listText([...items, rest.trim()], ''))
          }
          if (event.key === 'Backspace' && rest === '' && items.length > 0) {
            event.preventDefault()
            onValue(listText(items.slice(0, -1), items.at(-1) ?? ''))
          }
        }}
      />
      {items.length > 0 && (
        <ul class="chips">
          {items.map((item, at) => (
            <li key={`${at} ${item}`}>
              <bdi>{item}</bdi>
              <button
                type="button"
                class="quiet"
                onClick={({ currentTarget }) => {
                  // The button disappears, and the focus with it.
                  currentTarget.closest('ul')?.parentElement?.querySelector('input')?.focus()
                  onValue(listText(items.toSpliced(at, 1), rest))
                }}
              >
                <span aria-hidden="true">×</span>
                <span class="unseen">Remove {item}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
