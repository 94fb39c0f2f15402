import { languageName } from '../../client/draft-languages.ts'
import type { Preview } from '../../client/preview.ts'
import { Asking } from '../asking.tsx'
import { platformsOf } from './push-preview.tsx'
import { count, plural } from '../text.ts'

interface Props {
  readonly preview: Preview
  /** Whether it waits for its moment. */
  readonly isLater: boolean
  readonly onSend: () => Promise<void>
  readonly onClose: () => void
}

/** Asks with the number of devices before anything goes out. */
export function ConfirmPush({ preview, isLater, onSend, onClose }: Props) {
  const { t, platforms, languages = [] } = preview
  return (
    <Asking
      title={isLater ? 'Send it then?' : 'Send it now?'}
      submit={isLater ? 'Schedule' : `Send to ${plural(t, 'device')}`}
      not="Not yet"
      onSubmit={onSend}
      onClose={onClose}
    >
      <p>
        {isLater ? 'As of now it would go to ' : 'It goes to '}
        <b>{plural(t, 'device')}</b>: {platformsOf(platforms)}.
      </p>
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
