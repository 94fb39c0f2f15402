import { useSignal } from '@preact/signals'

/** Puts a text into the clipboard, which browsers allow by https and on this machine only: else there is no button. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const copied = useSignal<string | null>(null)
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    copied.value = text
  }
  return (
    <button type="button" class="quiet copy" onClick={() => void copy()}>
      <span aria-live="polite">{copied.value === text ? 'Copied' : label}</span>
    </button>
  )
}
