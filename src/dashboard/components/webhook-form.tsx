import { useSignal } from '@preact/signals'
import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import type { NewWebhookAnswer, WebhookRequest, WebhookView } from '../../admin/api-types/webhook-types.ts'
import { call } from '../client/call.ts'
import { applicationCall } from '../client/paths.ts'
import { Asking } from './asking.tsx'
import { Dialog } from './dialog.tsx'
import { CheckField, ChoiceField, keptIn, TextField } from './field.tsx'
import { Notice } from './notice.tsx'
import { Code } from './page.tsx'

const EVENTS = [
  ['push.finished', 'a push is over'],
  ['push.opened', 'a push was opened, or a button of it chosen'],
  ['device.gone', 'a device is gone'],
  ['credential.paused', 'Apple, Google or push services refuse a key'],
  ['credential.resumed', 'a key is good again'],
] as const

const DEFAULT_EVENTS = EVENTS.map(([name]) => name).filter((name) => name !== 'push.opened')

interface Props {
  /** Those to choose from; of a webhook that is there its own. */
  readonly applications: readonly ApplicationName[]
  /** `null`: there is none yet. */
  readonly webhook: Pick<WebhookView, 'url' | 'events'> | null
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Sets or changes the webhook of an application; a secret that is made is shown once. */
export function WebhookForm({ applications, webhook, onDone, onClose }: Props) {
  const id = useSignal(applications[0]?.id ?? '')
  const url = useSignal(webhook?.url ?? '')
  const events = useSignal<ReadonlySet<string>>(new Set(webhook?.events ?? DEFAULT_EVENTS))
  const isNewSecret = useSignal(false)
  const stored = useSignal<NewWebhookAnswer | null>(null)
  if (stored.value !== null) return <Stored answer={stored.value} onClose={onClose} />
  return (
    <Asking
      title={webhook === null ? 'A webhook' : 'Change the webhook'}
      submit={webhook === null ? 'Set the webhook' : 'Change the webhook'}
      onSubmit={async () => {
        const body: WebhookRequest = {
          url: url.value.trim(),
          events: [...events.value],
          ...(isNewSecret.value && { secret: 'new' }),
        }
        stored.value = await call<NewWebhookAnswer>('PUT', applicationCall(id.value, 'webhook'), { body })
        onDone()
      }}
      onClose={onClose}
    >
      {webhook === null && (
        <ChoiceField label="Application" {...keptIn(id)} options={applications.map((one) => [one.id, one.name])} />
      )}
      <TextField
        type="url"
        label="Address"
        placeholder="https://shop.example/hooks"
        {...keptIn(url)}
        spellcheck={false}
        autocomplete="off"
        required
      />
      <fieldset>
        <legend>What it hears of</legend>
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
        <CheckField
          label="Make a new secret: the one until now signs nothing more"
          checked={isNewSecret.value}
          onValue={(value) => {
            isNewSecret.value = value
          }}
        />
      )}
    </Asking>
  )
}

function Stored({ answer, onClose }: { readonly answer: NewWebhookAnswer; readonly onClose: () => void }) {
  const { secret, isPrivate } = answer
  return (
    <Dialog title="The webhook is set" onClose={onClose}>
      {secret !== null && (
        <>
          <p>It signs what it sends with this secret, which is shown this once. Give it to your backend now.</p>
          <Code text={secret} label="Secret of the webhook" />
        </>
      )}
      {isPrivate && (
        <Notice level="warning">
          Its address is private: the service sends there only where it is started with <code>--webhook-private</code>.
        </Notice>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {secret === null ? 'Good' : 'I have it'}
        </button>
      </div>
    </Dialog>
  )
}
