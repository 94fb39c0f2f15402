import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Form } from './form.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** Over the page until it is closed; Escape closes it. The browser keeps the focus in it, and gives it back. */
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

/** A dialog that asks before something is done. It stays until `onSubmit` closes it. */
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

interface TellingProps extends DialogProps {
  readonly button: string
}

export function Telling({ button, onClose, children, ...dialog }: TellingProps) {
  return (
    <Dialog onClose={onClose} {...dialog}>
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

/** A button that opens a dialog, which gets what closes it. */
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

/** A button that asks before it ends something. */
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
