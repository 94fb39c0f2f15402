import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { ResendAnswer, ResendRequest } from '../../../admin/api-types/push-types.ts'
import { call } from '../../client/call.ts'
import { applicationPage } from '../../client/paths.ts'
import type { Preview } from '../../client/preview.ts'
import { Asking } from '../asking.tsx'
import { Dialog } from '../dialog.tsx'
import { Form } from '../form.tsx'
import { PreviewedAudience, PreviewedRequests } from './push-preview.tsx'
import { plural } from '../text.ts'

interface Props {
  readonly application: string
  readonly push: string
  readonly failed: number
}

/** A push that is over, once more to those it failed for: after a look at how many of them can be sent to. */
export function ResendPush({ application, push, failed }: Props) {
  const { route } = useLocation()
  const preview = useSignal<Preview | null>(null)
  const path = `/api/pushes/${encodeURIComponent(push)}/resend`
  const close = (): void => {
    preview.value = null
  }
  const send = async (confirm: number): Promise<void> => {
    const body: ResendRequest = { confirm }
    const headers = { 'idempotency-key': crypto.getRandomValues(new Uint32Array(4)).join('-') }
    const { id } = await call<ResendAnswer>('POST', path, { body, headers })
    route(applicationPage(application, 'pushes', id))
  }
  const looked = preview.value
  return (
    <>
      <Form
        isQuiet
        submit="Send again to those it failed for …"
        onSubmit={async () => {
          preview.value = await call<Preview>('GET', path)
        }}
      />
      {looked !== null && looked.t === 0 && (
        <Dialog title="Nobody is left to send to" onClose={close}>
          <p>
            It failed for {plural(failed, 'device')}, and none of them is registered any more, or what the push asked
            for.
          </p>
          <div class="buttons">
            <button type="button" onClick={close}>
              I see
            </button>
          </div>
        </Dialog>
      )}
      {looked !== null && looked.t > 0 && (
        <Asking
          title="Send it again?"
          submit={`Send again to ${plural(looked.t, 'device')}`}
          onSubmit={() => send(looked.t)}
          onClose={close}
        >
          <p>
            It failed for {plural(failed, 'device')}. Who has left since, or is no longer what the push asked for, does
            not get it.
          </p>
          <PreviewedAudience preview={looked} problem={null} />
          <PreviewedRequests {...looked} />
        </Asking>
      )}
    </>
  )
}
