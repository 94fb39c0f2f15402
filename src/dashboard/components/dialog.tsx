import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Form } from './form.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** Escape closes it. The browser keeps the focus inside, and restores it afterwards. */
function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface AskingProps extends DialogProps {
  readonly submit: string
  readonly isDangerous?: boolean
  readonly onSubmit: () => Promise<void>
}

/** Stays open until `onSubmit` closes it. */
export function Asking({ title, onClose, children, ...form }: AskingProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        beside={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      >
        {children}
      </Form>
    </Dialog>
  )
}

export function Telling({ title, button, onClose, children }: DialogProps & { readonly button: string }) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {button}
        </button>
      </div>
    </Dialog>
  )
}

interface OpenerProps {
  readonly kind?: 'primary' | 'danger' | 'quiet'
  readonly text: ComponentChildren
  readonly dialog: (close: () => void) => ComponentChildren
}

export function Opener({ kind, text, dialog }: OpenerProps) {
  const isOpen = useSignal(false)
  return (
    <>
      <button type="button" class={kind} onClick={() => (isOpen.value = true)}>
        {text}
      </button>
      {isOpen.value && dialog(() => (isOpen.value = false))}
    </>
  )
}

type ConfirmingProps = Omit<OpenerProps, 'dialog'> & Omit<AskingProps, 'onClose' | 'isDangerous'>

export function Confirming({ kind = 'danger', text, onSubmit, ...asking }: ConfirmingProps) {
  return (
    <Opener
      kind={kind}
      text={text}
      dialog={(close) => (
        <Asking
          {...asking}
          isDangerous
          onSubmit={async () => {
            await onSubmit()
            close()
          }}
          onClose={close}
        />
      )}
    />
  )
}
