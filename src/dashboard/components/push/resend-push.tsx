import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { ResendAnswer, ResendRequest } from '../../../admin/api-types/push-types.ts'
import { call } from '../../client/call.ts'
import { useOnce } from '../../client/once.ts'
import { applicationPage } from '../../client/paths.ts'
import type { Preview } from '../../client/preview.ts'
import { Asking, Telling } from '../dialog.tsx'
import { Form } from '../form.tsx'
import { plural } from '../text.ts'
import { PreviewedAudience, PreviewedRequests } from './push-preview.tsx'

interface Props {
  readonly application: string
  readonly push: string
  readonly failed: number
}

/** Shows first how many devices can still get it. */
export function ResendPush({ application, push, failed }: Props) {
  const { route } = useLocation()
  const preview = useSignal<Preview | null>(null)
  const path = `/api/pushes/${encodeURIComponent(push)}/resend`
  const looked = preview.value
  const headers = useOnce(`${path} ${looked?.t}`)
  const close = (): void => void (preview.value = null)
  const send = async (confirm: number): Promise<void> => {
    const body: ResendRequest = { confirm }
    const { id } = await call<ResendAnswer>('POST', path, { body, headers })
    route(applicationPage(application, 'pushes', id))
  }
  return (
    <>
      <Form
        isQuiet
        submit="Resend to failed devices…"
        onSubmit={async () => {
          preview.value = await call<Preview>('GET', path)
        }}
      />
      {looked !== null && looked.t === 0 && (
        <Telling title="No device to resend to" button="Close" onClose={close}>
          <p>
            The push failed for {plural(failed, 'device')}. None of them is still registered and still in its audience.
          </p>
        </Telling>
      )}
      {looked !== null && looked.t > 0 && (
        <Asking
          title="Resend this push?"
          submit={`Resend to ${plural(looked.t, 'device')}`}
          onSubmit={() => send(looked.t)}
          onClose={close}
        >
          <p>
            The push failed for {plural(failed, 'device')}. It goes only to those that are still registered and still in
            its audience.
          </p>
          <PreviewedAudience preview={looked} problem={null} />
          <PreviewedRequests {...looked} />
        </Asking>
      )}
    </>
  )
}
