import type { PreviewedLanguage, PreviewedRequest, Previewed } from '../client/preview.ts'
import { languageName } from '../client/draft-languages.ts'
import { DataTable } from './data-table.tsx'
import { Notice } from './notice.tsx'
import { Code } from './page.tsx'
import { count, plural } from './text.ts'

/** To how many a push would go, and why it would not. */
export function PreviewedAudience({ preview, problem }: Previewed) {
  return (
    <div aria-live="polite">
      {problem !== null && <Notice level="warning">{problem.sentence}</Notice>}
      {preview !== null && (
        <>
          <p>
            To <b>{plural(preview.t, 'device')}</b>: {count(preview.platforms['0'])} iOS,{' '}
            {count(preview.platforms['1'])} Android
          </p>
          {preview.sample.length > 0 && (
            <details>
              <summary>Some of them</summary>
              <ul class="sample">
                {preview.sample.map(({ token, platform, alias }) => (
                  <li key={token}>
                    {platform === '0' ? 'iOS' : 'Android'} <code>{token.slice(0, 12)}…</code> <bdi>{alias}</bdi>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  )
}

interface Languages {
  readonly languages: readonly PreviewedLanguage[]
  readonly chosen: string | null
  readonly onChoose: (language: string | null) => void
}

/** Each language of a push: how many get it, and how much the gateways do. One is chosen, as in the fields. */
export function PreviewedLanguages({ languages, chosen, onChoose }: Languages) {
  return (
    <DataTable
      caption="By language"
      columns={[
        {
          name: 'Language',
          value: ({ language }) => language ?? '',
          show: ({ language }) => (
            <button type="button" class="quiet" aria-pressed={language === chosen} onClick={() => onChoose(language)}>
              {languageName(language)}
            </button>
          ),
        },
        { name: 'Devices', isNumber: true, value: ({ t }) => t, show: ({ t }) => count(t) },
        { name: 'Apple', isNumber: true, value: ({ apns }) => apns?.bytes ?? null, show: ({ apns }) => bytesOf(apns) },
        { name: 'Google', isNumber: true, value: ({ fcm }) => fcm?.bytes ?? null, show: ({ fcm }) => bytesOf(fcm) },
      ]}
      rows={languages}
      keyOf={({ language }) => language ?? ''}
    />
  )
}

function bytesOf(request: PreviewedRequest | null): string {
  return request === null ? '–' : `${count(request.bytes)} B`
}

interface Requests {
  readonly apns: PreviewedRequest | null
  readonly fcm: PreviewedRequest | null
}

/** What the gateways get, to the byte. */
export function PreviewedRequests({ apns, fcm }: Requests) {
  return (
    <>
      {apns !== null && (
        <details>
          <summary>What Apple gets: {count(apns.bytes)} of 4,096 bytes</summary>
          <Code text={JSON.stringify(apns.body, null, 2)} label="Apple's payload" />
        </details>
      )}
      {fcm !== null && (
        <details>
          <summary>What Google gets: {count(fcm.bytes)} of 4,096 bytes</summary>
          <Code text={JSON.stringify(fcm.body, null, 2)} label="Google's payload" />
        </details>
      )}
    </>
  )
}
