import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

interface Props {
  readonly title: string
  readonly submit: string
  readonly isDangerous?: boolean
  /** Of the button that leaves all as it is. */
  readonly not?: string
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
  /** What one should know, and fields. */
  readonly children: ComponentChildren
}

/** Asks over the page before something is done. */
export function Asking({ title, onClose, not = 'Not now', children, ...form }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        beside={
          <button type="button" onClick={onClose}>
            {not}
          </button>
        }
      >
        {children}
      </Form>
    </Dialog>
  )
}
