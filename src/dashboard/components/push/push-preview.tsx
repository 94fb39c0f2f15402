import { languageName } from '../../client/draft-languages.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import type { Preview, Previewed, PreviewedLanguage, PreviewedRequest } from '../../client/preview.ts'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'
import { Notice } from '../notice.tsx'
import { Code } from '../page.tsx'
import { count, plural, tokenPart } from '../text.ts'

export function PreviewedAudience({ preview, problem }: Previewed) {
  return (
    <div aria-live="polite">
      <Notice level="warning">{problem?.sentence ?? null}</Notice>
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

type Requests = Pick<PreviewedLanguage, 'apns' | 'fcm' | 'webpush'>

const REQUESTS = [
  { of: 'apns', name: 'Apple', summary: 'Sent to Apple', label: "Apple's payload" },
  { of: 'fcm', name: 'Google', summary: 'Sent to Google', label: "Google's payload" },
  { of: 'webpush', name: 'Web', summary: 'Sent to a browser, encrypted', label: "A browser's payload" },
] as const satisfies readonly { readonly of: keyof Requests; readonly [name: string]: string }[]

const bytesColumn = ({ name, of }: (typeof REQUESTS)[number]): Column<PreviewedLanguage> => ({
  name,
  kind: 'number',
  value: (language) => language[of]?.bytes ?? null,
  show: (language) => bytesOf(language[of]),
})

interface Languages {
  readonly languages: readonly PreviewedLanguage[]
  readonly chosen: string | null
  readonly onChoose: (language: string | null) => void
}

export function PreviewedLanguages({ languages, chosen, onChoose }: Languages) {
  const sent = REQUESTS.filter(({ of }) => of !== 'webpush' || languages.some(({ webpush }) => webpush !== undefined))
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
        { name: 'Devices', kind: 'number', value: ({ t }) => t },
        ...sent.map(bytesColumn),
      ]}
      rows={languages}
      keyOf={({ language }) => language ?? ''}
    />
  )
}

/** Of a push by local time. */
export function PassedZones({ of: zones = [] }: { readonly of: readonly string[] | undefined }) {
  return (
    <Notice level="warning">
      {zones.length === 0 ? null : `It is not sent where that time had passed: ${zones.join(', ')}.`}
    </Notice>
  )
}

/** `2 iOS, 1 Android`; web only if there is any. */
export function platformsOf({ '0': ios = 0, '1': android = 0, '2': web = 0 }: Preview['platforms']): string {
  return `${count(ios)} iOS, ${count(android)} Android${web === 0 ? '' : `, ${count(web)} web`}`
}

function bytesOf(request: PreviewedRequest | null | undefined): string {
  return request ? `${count(request.bytes)} B` : '–'
}

export function PreviewedRequests(requests: Requests) {
  return (
    <>
      {REQUESTS.map(({ of, summary, label }) => {
        const request = requests[of]
        return (
          request && (
            <details key={of}>
              <summary>
                {summary}: {count(request.bytes)} of 4,096 bytes
              </summary>
              <Code text={JSON.stringify(request.body, null, 2)} label={label} />
            </details>
          )
        )
      })}
    </>
  )
}
