import { useSignal } from '@preact/signals'
import type { DeviceSearchAnswer, DeviceView } from '../../../admin/api-types/device-types.ts'
import type { AnswerOf } from '../../../http/answer-schema.ts'
import type { EXPLANATION } from '../../../push/explain/explanation-schema.ts'
import { call } from '../../client/call.ts'
import { applicationCall, onBehalf, queryOf } from '../../client/paths.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import { keptIn, TextField } from '../field.tsx'
import { Form } from '../form.tsx'
import { Notice } from '../notice.tsx'
import { Verdict } from '../push-results.tsx'
import { tokenPart } from '../text.ts'

type Explanation = AnswerOf<typeof EXPLANATION>

interface Props {
  readonly application: string
  /** Of the push, in the public API. */
  readonly path: string
}

export function WhyNot({ application, path }: Props) {
  const token = useSignal('')
  const several = useSignal<readonly DeviceView[]>([])
  const answer = useSignal<Explanation | null>(null)
  const explain = async (headers: Readonly<Record<string, string>>): Promise<void> => {
    answer.value = await call<Explanation>('GET', onBehalf(application, `${path}/device`), { headers })
  }
  return (
    <section>
      <h2>Why did this phone not get it?</h2>
      <Form
        submit="Explain"
        isQuiet
        onSubmit={async () => {
          answer.value = null
          several.value = []
          const given = token.value.trim()
          const search = applicationCall(application, 'devices', 'search') + queryOf({ q: given, by: 'token' })
          const { devices } = await call<DeviceSearchAnswer>('GET', search)
          const [device, another] = devices
          if (device === undefined && given.length < 8)
            throw new Error('No device has this token. Type 8 characters or more.')
          if (another !== undefined) several.value = devices
          // An unknown token can still have an explanation. A header cannot contain an ellipsis.
          else await explain(device === undefined ? { token: given.replace(/…$/, '') } : named(device))
        }}
      >
        <TextField
          label="Device token"
          hint="The first 8 characters are enough."
          {...keptIn(token)}
          spellcheck={false}
          autocomplete="off"
          required
        />
      </Form>
      {several.value.length > 0 && (
        <>
          <p>Several devices have a token that starts like this:</p>
          {several.value.map((device) => (
            <Form
              key={device.device}
              isQuiet
              submit={`${PLATFORMS[device.platform].name} ${tokenPart(device.token, 32)}`}
              onSubmit={async () => {
                await explain(named(device))
                several.value = []
              }}
            />
          ))}
        </>
      )}
      {answer.value !== null && (
        <Notice level="note">
          <p>
            <Verdict verdict={answer.value.verdict} />
          </p>
          <p>{answer.value.explanation}</p>
        </Notice>
      )}
    </section>
  )
}

function named({ token, platform }: DeviceView): Readonly<Record<string, string>> {
  return { token, platform }
}
