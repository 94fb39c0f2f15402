import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Around {
  readonly label: string
  /** What to type, in a few words. */
  readonly hint?: ComponentChildren
  /** What is wrong with it as it stands. Default: nothing is known to be. */
  readonly problem?: string | null
}

interface ValueOf {
  readonly value: string
  readonly onValue: (value: string) => void
}

interface Keys {
  /** Hears of each key before the form does. Default: nobody. */
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

type Input = Around &
  ValueOf &
  Keys & {
    readonly type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'datetime-local'
    readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off'
    readonly placeholder?: string
    readonly required?: boolean
    readonly autofocus?: boolean
    readonly minLength?: number
    readonly min?: number
    readonly spellcheck?: boolean
  }

/** The value of a field that is kept in a signal. */
export function keptIn<Text extends string>(text: Signal<Text>): ValueOf {
  return {
    value: text.value,
    onValue: (value) => {
      text.value = value as Text
    },
  }
}

/** A line of text with its label. */
export function TextField({ label, hint, problem, onValue, onKeyDown, type = 'text', ...rest }: Input) {
  return (
    <Labelled
      {...{ label, hint, problem }}
      control={(known) => (
        <input
          {...rest}
          {...known}
          // Preact knows each type's own attributes; here are only those that all of ours have.
          // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler asks for it
          type={type as 'text'}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
          {...(onKeyDown !== undefined && { onKeyDown })}
        />
      )}
    />
  )
}

type Area = Around &
  ValueOf & {
    readonly rows?: number
    readonly placeholder?: string
    readonly required?: boolean
    readonly spellcheck?: boolean
  }

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

type Choice = Around & ValueOf & { readonly options: Options }

export function ChoiceField({ label, hint, problem, value, onValue, options }: Choice) {
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

/** A control with what stands around it, of which it is told. */
function Labelled({
  label,
  hint,
  problem = null,
  control,
}: {
  readonly label: string
  readonly hint: ComponentChildren
  readonly problem: string | null | undefined
  readonly control: (known: Known) => ComponentChildren
}) {
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
