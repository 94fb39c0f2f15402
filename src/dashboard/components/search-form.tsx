import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../client/paths.ts'
import { keptIn, TextField } from './field.tsx'
import { Form } from './form.tsx'

interface Props {
  /** It reads the text from `?q=`. */
  readonly page: string
  readonly asked: string
  readonly label: string
  readonly hint: string
}

export function SearchForm({ page, asked, label, hint }: Props) {
  const { route } = useLocation()
  const typed = useSignal(asked)
  return (
    <Form submit="Search" isQuiet onSubmit={() => Promise.resolve(route(page + queryOf({ q: typed.value.trim() })))}>
      <TextField type="search" label={label} hint={hint} {...keptIn(typed)} spellcheck={false} autocomplete="off" />
    </Form>
  )
}
