import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { call } from '../client/call.ts'
import { applicationPage, onBehalf } from '../client/paths.ts'
import { Asking } from './asking.tsx'
import { keptIn, TextField } from './field.tsx'

interface Props {
  readonly application: string
  readonly user: string
  readonly onClose: () => void
}

/** Asks again before all that is stored about a user goes: nothing brings that back. */
export function EraseUser({ application, user, onClose }: Props) {
  const { route } = useLocation()
  const typed = useSignal('')
  return (
    <Asking
      title="Erase the user"
      submit="Erase"
      isDangerous
      onSubmit={async () => {
        if (typed.value !== user) throw new Error('That is not the name of the user: nothing was erased.')
        await call('PUT', onBehalf(application, '/user/del'), { body: { user } })
        route(applicationPage(application, 'devices'))
      }}
      onClose={onClose}
    >
      <p>
        Every device of <bdi>{user}</bdi> goes, registered or not, with what is stored about it: labels, what it opened,
        that a push failed for it. Counts stay. Type <bdi>{user}</bdi> to go on.
      </p>
      <TextField label="The user" {...keptIn(typed)} spellcheck={false} autocomplete="off" required />
    </Asking>
  )
}
