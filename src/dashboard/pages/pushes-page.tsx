import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { PushesAnswer } from '../../admin/api-types/push-types.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { PushTable } from '../components/push/push-table.tsx'
import { SendLink } from '../components/push/send-link.tsx'

/** What an application has sent, the newest first. */
export function PushesPage() {
  const id = useRoute().params['id'] ?? ''
  const { query } = useLocation()
  const before = query['before']
  const path = `${applicationCall(id, 'pushes')}?limit=50${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const { value, problem } = useResource<PushesAnswer>(path)
  return (
    <Page
      title="Pushes"
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      action={<SendLink id={id} />}
      problem={problem}
      curl={[adminCurl('GET', path), publicCurl({ method: 'GET', path: '/pushes', application: id })]}
    >
      {value?.pushes.length === 0 && (
        <Empty title={before === undefined ? 'Nothing was sent yet' : 'That was all'}>
          <p>
            <a href={applicationPage(id, 'send')}>Write a push</a>: nothing goes out before you have seen to how many.
          </p>
        </Empty>
      )}
      {value !== null && value.pushes.length > 0 && (
        <PushTable caption="Pushes" pushes={value.pushes.map((push) => Object.assign({}, push, { application: id }))} />
      )}
      <p class="buttons">
        {before !== undefined && <a href={applicationPage(id, 'pushes')}>Newest</a>}
        {value !== null && value.next !== null && (
          <a href={`${applicationPage(id, 'pushes')}?before=${value.next}`}>Older</a>
        )}
      </p>
    </Page>
  )
}
