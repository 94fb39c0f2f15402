import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { AnswerOf } from '../../../http/answer-schema.ts'
import type { WITHDRAWAL } from '../../../push/status/status-schema.ts'
import { call } from '../../client/call.ts'
import { applicationPage, onBehalf } from '../../client/paths.ts'
import { Asking } from '../dialog.tsx'
import { Form } from '../form.tsx'

interface Props {
  readonly application: string
  /** `/push/019a…` */
  readonly path: string
}

/** Removes the notification from the phones that show it. */
export function WithdrawPush({ application, path }: Props) {
  const { route } = useLocation()
  const isAsked = useSignal(false)
  const withdraw = async (): Promise<void> => {
    const { id } = await call<AnswerOf<typeof WITHDRAWAL>>('DELETE', onBehalf(application, `${path}/shown`))
    route(applicationPage(application, 'pushes', id))
  }
  return (
    <>
      <Form isQuiet submit="Withdraw…" onSubmit={async () => void (isAsked.value = true)} />
      {isAsked.value && (
        <Asking
          title="Withdraw this push?"
          submit="Withdraw"
          isDangerous
          onSubmit={withdraw}
          onClose={() => void (isAsked.value = false)}
        >
          <p>
            A silent push removes the notification from iPhones and Android phones whose app has a Bellhop library. It
            stays in browsers, and on phones that iOS or Android do not wake.
          </p>
        </Asking>
      )}
    </>
  )
}
