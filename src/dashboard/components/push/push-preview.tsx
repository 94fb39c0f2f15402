import type { PlatformCounts, Previewed, PreviewedLanguage, PreviewedRequest } from '../../client/preview.ts'
import { languageName } from '../../client/draft-languages.ts'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'
import { Notice } from '../notice.tsx'
import { Code } from '../page.tsx'
import { count, plural, tokenPart } from '../text.ts'
import { PLATFORMS } from '../../client/platforms.ts'

/** To how many a push would go, and why it would not. */
export function PreviewedAudience({ preview, problem }: Previewed) {
  return (
    <div aria-live="polite">
      {problem !== null && <Notice level="warning">{problem.sentence}</Notice>}
      {preview !== null && (
        <>
          <p>
            To <b>{plural(preview.t, 'device')}</b>: {platformsOf(preview.platforms)}
          </p>
          {preview.sample.length > 0 && (
            <details>
              <summary>Some of them</summary>
              <ul class="sample">
                {preview.sample.map(({ token, platform, alias }) => (
                  <li key={token}>
                    {PLATFORMS[platform].name} <code>{tokenPart(token, 12)}</code> <bdi>{alias}</bdi>
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

const WEB: Column<PreviewedLanguage> = {
  name: 'Web',
  isNumber: true,
  value: ({ webpush }) => webpush?.bytes ?? null,
  show: ({ webpush }) => bytesOf(webpush),
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
        ...(languages.some(({ webpush }) => webpush !== undefined) ? [WEB] : []),
      ]}
      rows={languages}
      keyOf={({ language }) => language ?? ''}
    />
  )
}

/** `2 iOS, 1 Android`; browsers where there are any. */
export function platformsOf({ '0': ios, '1': android, '2': web = 0 }: PlatformCounts): string {
  return `${count(ios)} iOS, ${count(android)} Android${web === 0 ? '' : `, ${count(web)} web`}`
}

function bytesOf(request: PreviewedRequest | null | undefined): string {
  return request === null || request === undefined ? '–' : `${count(request.bytes)} B`
}

type Requests = Pick<PreviewedLanguage, 'apns' | 'fcm' | 'webpush'>

/** What the gateways get, to the byte. */
export function PreviewedRequests({ apns, fcm, webpush }: Requests) {
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
      {webpush !== undefined && (
        <details>
          <summary>What a browser gets: {count(webpush.bytes)} of 4,096 bytes, encrypted</summary>
          <Code text={JSON.stringify(webpush.body, null, 2)} label="A browser's payload" />
        </details>
      )}
    </>
  )
}
