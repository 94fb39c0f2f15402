import { useSignal } from '@preact/signals'
import type {
  HookPreviewAnswer,
  HookPreviewRequest,
  HookRequest,
  HookView,
  SetHookAnswer,
} from '../../../admin/api-types/hook-types.ts'
import { call, sentenceOf } from '../../client/call.ts'
import { publicUrl } from '../../client/curl.ts'
import { withLabel } from '../../client/field-labels.ts'
import { applicationCall } from '../../client/paths.ts'
import { Asking, Telling } from '../dialog.tsx'
import { AreaField, CheckField, checkedIn, ChoiceField, keptIn, TextField } from '../field.tsx'
import { Notice } from '../notice.tsx'
import { Code } from '../page.tsx'
import { plural } from '../text.ts'

const TEMPLATE = `{
  "where": { "type": "order.paid" },
  "event": "{{ id }}",
  "push": {
    "users": ["{{ data.user }}"],
    "msg": "Order {{ data.number }} is paid.",
    "sound": "default"
  }
}`

const EXAMPLE = '{ "id": "e1", "type": "order.paid", "data": { "user": "ann", "number": 17 } }'

const PROOFS = [
  ['', 'a key in the path'],
  ['standard', 'a signature of Standard Webhooks'],
  ['github', 'a signature of GitHub'],
  ['stripe', 'a signature of Stripe'],
] as const

interface Props {
  readonly id: string
  /** `null`: a new hook. */
  readonly hook: HookView | null
  readonly onDone: () => void
  readonly onClose: () => void
}

export function HookForm({ id, hook, onDone, onClose }: Props) {
  const name = useSignal(hook?.name ?? '')
  const template = useSignal(hook?.template ?? TEMPLATE)
  const signature = useSignal<string>(hook?.signature ?? '')
  const secret = useSignal('')
  const isNewKey = useSignal(false)
  const stored = useSignal<SetHookAnswer | null>(null)
  if (stored.value !== null) {
    const close = (): void => {
      onDone()
      onClose()
    }
    return <Stored answer={stored.value} onClose={close} />
  }
  const isSigned = signature.value !== ''
  /** Without a new secret the stored one stays. */
  const isKept = hook !== null && signature.value === (hook.signature ?? '') && secret.value === ''
  return (
    <Asking
      title={hook === null ? 'Add hook' : `Change ${hook.name}`}
      submit={hook === null ? 'Add hook' : 'Save hook'}
      onSubmit={async () => {
        const body: HookRequest = {
          template: template.value,
          ...(isSigned && !isKept && { signature: signature.value, secret: secret.value }),
          ...(!isSigned && (isNewKey.value || !isKept) && { newKey: true }),
          isNew: hook === null,
        }
        stored.value = await call<SetHookAnswer>('PUT', applicationCall(id, 'hooks', name.value.trim()), { body })
      }}
      onClose={onClose}
    >
      {hook === null && <TextField label="Name" placeholder="orders" {...keptIn(name)} spellcheck={false} required />}
      <AreaField label="Template" {...keptIn(template)} rows={11} spellcheck={false} required />
      <ChoiceField label="Calls have" {...keptIn(signature)} options={PROOFS} />
      {isSigned && (
        <TextField
          type="password"
          label="Secret"
          hint={
            hook?.signature === signature.value
              ? 'Leave it empty to keep the one there is.'
              : 'As the service shows it.'
          }
          {...keptIn(secret)}
          autocomplete="off"
          required={hook?.signature !== signature.value}
        />
      )}
      {hook !== null && hook.signature === null && !isSigned && (
        <CheckField label="Replace the key: the old one stops working now" {...checkedIn(isNewKey)} />
      )}
      <Preview id={id} template={template.value} signature={signature.value} />
    </Asking>
  )
}

interface PreviewProps {
  readonly id: string
  readonly template: string
  readonly signature: string
}

function Preview({ id, template, signature }: PreviewProps) {
  const example = useSignal(EXAMPLE)
  const found = useSignal<HookPreviewAnswer | null>(null)
  const problem = useSignal<string | null>(null)
  const look = async (): Promise<void> => {
    const body: HookPreviewRequest = { template, example: example.value, ...(signature !== '' && { signature }) }
    found.value = null
    problem.value = null
    try {
      found.value = await call<HookPreviewAnswer>('POST', applicationCall(id, 'hooks', 'preview'), { body })
    } catch (error) {
      problem.value = withLabel(sentenceOf(error))
    }
  }
  return (
    <>
      <AreaField label="Example of a call" {...keptIn(example)} rows={4} spellcheck={false} />
      <div class="buttons">
        <button type="button" onClick={() => void look()}>
          Preview
        </button>
      </div>
      <Notice level="error">{problem.value}</Notice>
      <div aria-live="polite">{found.value !== null && <Found {...found.value} />}</div>
    </>
  )
}

function Found({ outcome, why, body, event, devices }: HookPreviewAnswer) {
  if (outcome === 'refused') return <Notice level="warning">It would be refused: {why}</Notice>
  if (outcome === 'ignored') return <p>Nothing would be sent: {why}.</p>
  return (
    <>
      <p>
        {plural(devices ?? 0, 'device')} would get this push.{' '}
        {event === null
          ? 'Nothing tells this event from others: each call is a push.'
          : 'A repeated call of this event is no second push.'}
      </p>
      <Code text={JSON.stringify(body, null, 2)} label="Push" />
    </>
  )
}

function Stored({ answer: { path, hook }, onClose }: { readonly answer: SetHookAnswer; readonly onClose: () => void }) {
  const hasKey = hook.signature === null && path.split('/').length > 3
  return (
    <Telling title="Hook saved" button="Done" onClose={onClose}>
      <p>
        Have the service post to this address.
        {hasKey && ' Copy it now: you won’t see the key again.'}
      </p>
      <Code text={`${publicUrl.value}${path}`} label="Address" />
    </Telling>
  )
}
