import { useLocation } from 'preact-iso/router'
import type { PushesAnswer } from '../../admin/api-types/push-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { PushTable, SendLink } from '../components/push/push-table.tsx'

export function PushesPage() {
  const { id } = useApplication()
  const { before = '' } = useLocation().query
  const path = applicationCall(id, 'pushes') + queryOf({ limit: '50', before })
  const { value, problem } = useResource<PushesAnswer>(path)
  return (
    <Page
      action={<SendLink id={id} />}
      problem={problem}
      curl={[adminCurl('GET', path), publicCurl({ method: 'GET', path: '/pushes', application: id })]}
    >
      {value?.pushes.length === 0 && (
        <Empty title={before === '' ? 'No pushes yet' : 'No more pushes'}>
          <p>
            <a href={applicationPage(id, 'send')}>Write a push</a>. You see how many devices it reaches before it is
            sent.
          </p>
        </Empty>
      )}
      {value !== null && value.pushes.length > 0 && (
        <PushTable caption="Pushes" pushes={value.pushes.map((push) => Object.assign({}, push, { application: id }))} />
      )}
      <p class="buttons">
        {before !== '' && <a href={applicationPage(id, 'pushes')}>Newest</a>}
        {value !== null && value.next !== null && (
          <a href={applicationPage(id, 'pushes') + queryOf({ before: String(value.next) })}>Older</a>
        )}
      </p>
    </Page>
  )
}
