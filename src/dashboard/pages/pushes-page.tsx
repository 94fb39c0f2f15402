import { useLocation } from 'preact-iso/router'
import type { PushesAnswer } from '../../admin/api-types/push-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'
import { PushTable, SendLink } from '../components/push/push-table.tsx'

export function PushesPage() {
  const { id } = useApplication()
  const { before = '' } = useLocation().query
  const path = applicationCall(id, 'pushes') + queryOf({ limit: '50', before })
  const list = useResource<PushesAnswer>(path)
  useFresh(list)
  return (
    <Page
      action={<SendLink id={id} />}
      curl={[adminCurl('GET', path), publicCurl({ method: 'GET', path: '/pushes', application: id })]}
    >
      <Loaded of={list}>
        {({ pushes, next }) => (
          <>
            {pushes.length === 0 ? (
              <Empty title={before === '' ? 'No pushes yet' : 'No more pushes'}>
                <p>
                  <a href={applicationPage(id, 'send')}>Write a push</a>. You see how many devices it reaches before it
                  is sent.
                </p>
              </Empty>
            ) : (
              <PushTable caption="Pushes" pushes={pushes.map((push) => Object.assign({}, push, { application: id }))} />
            )}
            <Paging
              from={before}
              next={next}
              pageOf={(from) => applicationPage(id, 'pushes') + queryOf({ before: from })}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
