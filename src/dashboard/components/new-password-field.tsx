import type { Signal } from '@preact/signals'
import { keptIn, TextField } from './field.tsx'

/** A password that somebody chooses. */
export function NewPasswordField({ label, password }: { readonly label: string; readonly password: Signal<string> }) {
  return (
    <TextField
      type="password"
      label={label}
      hint="12 characters or more; a common password is refused."
      minLength={12}
      {...keptIn(password)}
      autocomplete="new-password"
      required
    />
  )
}
