import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Field {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly problem?: string | null
  readonly value: string
  readonly onValue: (value: string) => void
}

type Input = Field & Attributes & { readonly onKeyDown?: (event: KeyboardEvent) => void }

interface Attributes {
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'datetime-local'
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off'
  readonly placeholder?: string
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly minLength?: number
  readonly min?: number
  readonly spellcheck?: boolean
}

export function keptIn<Text extends string>(text: Signal<Text>): Pick<Field, 'value' | 'onValue'> {
  return { value: text.value, onValue: (value) => void (text.value = value as Text) }
}

/** Makes Enter call `act` instead of submitting the form. */
export function onEnter(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    act()
  }
}

export function TextField({ label, hint, problem, onValue, onKeyDown, type = 'text', ...rest }: Input) {
  return (
    <Labelled
      {...{ label, hint, problem }}
      control={(known) => (
        <input
          {...rest}
          {...known}
          // Preact types the attributes of each input type; these exist for all.
          // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler asks for it
          type={type as 'text'}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
          {...(onKeyDown !== undefined && { onKeyDown })}
        />
      )}
    />
  )
}

export function NewPasswordField({ label, password }: { readonly label: string; readonly password: Signal<string> }) {
  return (
    <TextField
      type="password"
      label={label}
      hint="At least 12 characters; common passwords are refused."
      minLength={12}
      {...keptIn(password)}
      autocomplete="new-password"
      required
    />
  )
}

type Area = Field & Pick<Attributes, 'placeholder' | 'required' | 'spellcheck'> & { readonly rows?: number }

export function AreaField({ label, hint, problem, onValue, ...rest }: Area) {
  return (
    <Labelled
      {...{ label, hint, problem }}
      control={(known) => (
        <textarea {...rest} {...known} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    />
  )
}

export type Options = readonly (readonly [value: string, text: string])[]

export function ChoiceField({ label, hint, problem, value, onValue, options }: Field & { readonly options: Options }) {
  return (
    <Labelled
      {...{ label, hint, problem }}
      control={(known) => (
        <select {...known} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  )
}

interface Known {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
}

interface LabelledProps {
  readonly label: string
  readonly hint: ComponentChildren
  readonly problem: string | null | undefined
  readonly control: (known: Known) => ComponentChildren
}

/** Names the hint and the problem for screen readers. */
function Labelled({ label, hint, problem = null, control }: LabelledProps) {
  const id = useId()
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === null ? [] : [`${id}-problem`])]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
        ...(problem !== null && { 'aria-invalid': 'true' }),
      })}
      {problem !== null && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface Check {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onValue: (checked: boolean) => void
}

export function checkedIn(isOn: Signal<boolean>): Pick<Check, 'checked' | 'onValue'> {
  return { checked: isOn.value, onValue: (checked) => void (isOn.value = checked) }
}

export function CheckField({ label, checked, onValue }: Check) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

interface ChoicesProps {
  readonly legend: string
  readonly options: Options
  readonly value: string
  readonly onValue: (value: string) => void
}

export function Choices({ legend, options, value, onValue }: ChoicesProps) {
  const name = useId()
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onValue(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
