import { useSignal } from '@preact/signals'
import type { ApplicationName } from '../../../admin/api-types/application-types.ts'
import type { NewWebhookAnswer, WebhookRequest, WebhookView } from '../../../admin/api-types/webhook-types.ts'
import { call } from '../../client/call.ts'
import { applicationCall } from '../../client/paths.ts'
import { Asking, Telling } from '../dialog.tsx'
import { CheckField, checkedIn, ChoiceField, keptIn, TextField } from '../field.tsx'
import { Notice } from '../notice.tsx'
import { Code } from '../page.tsx'

const EVENTS = [
  ['push.finished', 'a push has finished'],
  ['push.opened', 'a push was opened, or one of its buttons chosen'],
  ['device.gone', 'a gateway reported a device as unregistered'],
  ['credential.paused', 'Apple, Google or push services refuse a key'],
  ['credential.resumed', 'a key works again'],
] as const

const DEFAULT_EVENTS = EVENTS.map(([name]) => name).filter((name) => name !== 'push.opened')

interface Props {
  /** To change a webhook, only its own application. */
  readonly applications: readonly ApplicationName[]
  /** `null`: a new webhook. */
  readonly webhook: Pick<WebhookView, 'url' | 'events'> | null
  readonly onDone: () => void
  readonly onClose: () => void
}

export function WebhookForm({ applications, webhook, onDone, onClose }: Props) {
  const id = useSignal(applications[0]?.id ?? '')
  const url = useSignal(webhook?.url ?? '')
  const events = useSignal<ReadonlySet<string>>(new Set(webhook?.events ?? DEFAULT_EVENTS))
  const isNewSecret = useSignal(false)
  const stored = useSignal<NewWebhookAnswer | null>(null)
  if (stored.value !== null) {
    // Only now, since reloading may remove the button that owns this dialog.
    const close = (): void => {
      onDone()
      onClose()
    }
    return <Stored answer={stored.value} onClose={close} />
  }
  return (
    <Asking
      title={webhook === null ? 'Add webhook' : 'Change webhook'}
      submit={webhook === null ? 'Add webhook' : 'Save webhook'}
      onSubmit={async () => {
        const body: WebhookRequest = {
          url: url.value.trim(),
          events: [...events.value],
          ...(isNewSecret.value && { secret: 'new' }),
        }
        stored.value = await call<NewWebhookAnswer>('PUT', applicationCall(id.value, 'webhook'), { body })
      }}
      onClose={onClose}
    >
      {webhook === null && (
        <ChoiceField label="Application" {...keptIn(id)} options={applications.map((one) => [one.id, one.name])} />
      )}
      <TextField
        type="url"
        label="URL"
        placeholder="https://shop.example/hooks"
        {...keptIn(url)}
        spellcheck={false}
        autocomplete="off"
        required
      />
      <fieldset>
        <legend>Events</legend>
        {EVENTS.map(([name, text]) => (
          <CheckField
            key={name}
            label={
              <>
                <code>{name}</code>: {text}
              </>
            }
            checked={events.value.has(name)}
            onValue={(isOn) => {
              events.value = new Set([...events.value].filter((one) => one !== name).concat(isOn ? [name] : []))
            }}
          />
        ))}
      </fieldset>
      {webhook !== null && (
        <CheckField label="Replace the secret: the old one stops working now" {...checkedIn(isNewSecret)} />
      )}
    </Asking>
  )
}

function Stored({ answer, onClose }: { readonly answer: NewWebhookAnswer; readonly onClose: () => void }) {
  const { secret, note } = answer
  return (
    <Telling title="Webhook saved" button="Done" onClose={onClose}>
      {secret !== null && (
        <>
          <p>Events are signed with this secret. Give it to your backend now. You won’t see it again.</p>
          <Code text={secret} label="Webhook secret" />
        </>
      )}
      {note !== null && <Notice level="warning">{note}</Notice>}
    </Telling>
  )
}
