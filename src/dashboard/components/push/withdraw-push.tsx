import { useLocation } from 'preact-iso/router'
import type { AnswerOf } from '../../../http/answer-schema.ts'
import type { WITHDRAWAL } from '../../../push/status/status-schema.ts'
import { call } from '../../client/call.ts'
import { applicationPage, onBehalf } from '../../client/paths.ts'
import { Confirming } from '../dialog.tsx'

interface Props {
  readonly application: string
  /** `/push/019a…` */
  readonly path: string
}

/** Removes the notification from the phones that show it. */
export function WithdrawPush({ application, path }: Props) {
  const { route } = useLocation()
  return (
    <Confirming
      kind="quiet"
      text="Withdraw…"
      title="Withdraw this push?"
      submit="Withdraw"
      onSubmit={async () => {
        const { id } = await call<AnswerOf<typeof WITHDRAWAL>>('DELETE', onBehalf(application, `${path}/shown`))
        route(applicationPage(application, 'pushes', id))
      }}
    >
      <p>A silent push removes it from phones whose app has a Bellhop library, if they wake. Browsers keep it.</p>
    </Confirming>
  )
}
