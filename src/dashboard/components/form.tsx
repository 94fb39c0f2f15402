import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { sentenceOf } from '../client/call.ts'
import { withLabel } from '../client/field-labels.ts'
import { Notice } from './notice.tsx'

interface Props {
  readonly submit: string
  /** `button`: value of the pressed button; `''`: the form's own. */
  readonly onSubmit: (button: string) => Promise<void>
  readonly children?: ComponentChildren
  readonly label?: string
  readonly isDangerous?: boolean
  /** Default: the button is a primary one. */
  readonly isQuiet?: boolean
  readonly beside?: ComponentChildren
}

/** Shows an error until a field changes. */
export function Form({ submit, onSubmit, children, label, isDangerous = false, isQuiet = false, beside }: Props) {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const run = async (button: string): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    problem.value = null
    try {
      await onSubmit(button)
    } catch (error) {
      problem.value = withLabel(sentenceOf(error))
    }
    isBusy.value = false
  }
  return (
    <form
      aria-label={label}
      onInput={() => (problem.value = null)}
      onSubmit={(event) => {
        event.preventDefault()
        const { submitter } = event
        void run(submitter instanceof HTMLButtonElement ? submitter.value : '')
      }}
    >
      {children}
      <Notice level="error">{problem.value}</Notice>
      <div class="buttons">
        <button type="submit" class={isDangerous ? 'danger' : isQuiet ? '' : 'primary'} aria-busy={isBusy.value}>
          {submit}
        </button>
        {beside}
      </div>
    </form>
  )
}
