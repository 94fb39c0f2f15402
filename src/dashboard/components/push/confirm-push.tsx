import { languageName } from '../../client/draft-languages.ts'
import type { Draft } from '../../client/draft.ts'
import type { Preview } from '../../client/preview.ts'
import { Asking, Telling } from '../dialog.tsx'
import { Notice } from '../notice.tsx'
import { clock, count, plural, time } from '../text.ts'
import { platformsOf } from './push-preview.tsx'

interface Props {
  readonly preview: Preview
  readonly draft: Draft
  readonly onSend: (agreed: Preview) => Promise<void>
  readonly onClose: () => void
}

/** Asks before a push is sent: to how many, and when. To nobody it is not sent now. */
export function ConfirmPush({ preview, draft, onSend, onClose }: Props) {
  const { t, platforms, languages = [] } = preview
  const when = whenIn(draft)
  if (t === 0 && when === null) {
    return (
      <Telling title="No device would get this push" button="Change the audience" onClose={onClose}>
        <p>No registered device matches the audience, so nothing was sent.</p>
      </Telling>
    )
  }
  return (
    <Asking
      title={when === null ? 'Send this push now?' : 'Schedule this push?'}
      submit={when === null ? `Send to ${plural(t, 'device')}` : 'Schedule'}
      onSubmit={() => onSend(preview)}
      onClose={onClose}
    >
      {when !== null && <p>{when}</p>}
      {t === 0 ? (
        <Notice level="warning">
          <p>No device matches the audience now. It goes to those that match at that time.</p>
        </Notice>
      ) : (
        <p>
          {when === null ? 'It goes to ' : 'If it were sent now, it would go to '}
          <b>{plural(t, 'device')}</b>: {platformsOf(platforms)}.
        </p>
      )}
      {languages.length > 0 && (
        <ul>
          {languages.map((one) => (
            <li key={one.language}>
              {languageName(one.language)}: {count(one.t)}
            </li>
          ))}
        </ul>
      )}
    </Asking>
  )
}

/** `null`: now. */
function whenIn({ send_at: at = '', send_at_local: local = '' }: Draft): string | null {
  if (local !== '') return `Each device gets it when its own clock shows ${clock(local)}.`
  return at === '' ? null : `It goes out on ${time(new Date(at).toISOString())}.`
}
