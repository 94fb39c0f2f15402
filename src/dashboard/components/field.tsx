import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Around {
  readonly label: string
  /** What to type, in a few words. */
  readonly hint?: ComponentChildren
}

type Input = Around &
  ValueOf & {
    readonly type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'datetime-local'
    readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'off'
    readonly placeholder?: string
    readonly required?: boolean
    readonly autofocus?: boolean
    readonly minLength?: number
    readonly min?: number
    readonly spellcheck?: boolean
  }

interface ValueOf {
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A line of text with its label. */
export function TextField({ label, hint, value, onValue, type = 'text', ...rest }: Input) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        // Preact knows each type's own attributes; here are only those that all of ours have.
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler asks for it
        type={type as 'text'}
        id={id}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type Area = Around & ValueOf & { readonly rows?: number; readonly placeholder?: string; readonly required?: boolean }

export function AreaField({ label, hint, value, onValue, ...rest }: Area) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...rest}
        id={id}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type Choice = Around & ValueOf & { readonly options: readonly (readonly [value: string, text: string])[] }

export function ChoiceField({ label, hint, value, onValue, options }: Choice) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface CheckProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onValue: (checked: boolean) => void
}

export function CheckField({ label, checked, onValue }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
