import { useSignal } from '@preact/signals'
import { call } from '../client/call.ts'
import { onBehalf } from '../client/paths.ts'
import { Confirming } from './dialog.tsx'
import { keptIn, TextField } from './field.tsx'

interface Props {
  readonly application: string
  readonly user: string
  readonly kind: 'danger' | 'quiet'
  readonly onErased: () => void
}

export function EraseUser({ application, user, kind, onErased }: Props) {
  const typed = useSignal('')
  return (
    <Confirming
      kind={kind}
      text={
        <>
          Erase user<span class="unseen"> {user}</span>…
        </>
      }
      title="Erase user"
      submit="Erase"
      onSubmit={async () => {
        if (typed.value !== user) throw new Error('The user ID does not match. Nothing was erased.')
        await call('PUT', onBehalf(application, '/user/del'), { body: { user } })
        onErased()
      }}
    >
      <p>
        This erases all devices of <bdi>{user}</bdi>, registered or not, and everything stored about them: labels, opens
        and failures. Totals stay. It can only be undone from a backup.
      </p>
      <TextField
        label="Type the user ID to confirm"
        {...keptIn(typed)}
        spellcheck={false}
        autocomplete="off"
        required
      />
    </Confirming>
  )
}
