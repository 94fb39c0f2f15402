import { useLocation } from 'preact-iso/router'
import type { UsersAnswer } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'
import { SearchForm } from '../components/search-form.tsx'

export function UsersPage() {
  const { id } = useApplication()
  const { q: asked = '', after = '' } = useLocation().query
  const here = applicationPage(id, 'users')
  const path = applicationCall(id, 'users') + queryOf({ q: asked, after })
  const list = useResource<UsersAnswer>(path)
  return (
    <Page
      lead="Each user has one or several devices."
      curl={[
        adminCurl('GET', path),
        publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user: 'ann' } }),
      ]}
    >
      <SearchForm page={here} asked={asked} label="User ID" hint="A prefix works too. Leave empty to list all users." />
      <div aria-live="polite">
        <Loaded of={list}>
          {({ users, next }) => (
            <>
              {users.length > 0 ? (
                <DataTable
                  caption="Users"
                  columns={[
                    {
                      name: 'User',
                      kind: 'name',
                      value: ({ user }) => user,
                      link: ({ user }) => applicationPage(id, 'users', user),
                    },
                    { name: 'Registered devices', kind: 'number', value: ({ registered }) => registered },
                    { name: 'Unregistered devices', kind: 'number', value: ({ left }) => left },
                    {
                      name: 'Actions',
                      value: () => '',
                      show: ({ user }) => (
                        <EraseUser kind="quiet" application={id} user={user} onErased={list.reload} />
                      ),
                    },
                  ]}
                  rows={users}
                  keyOf={({ user }) => user}
                />
              ) : asked !== '' ? (
                <Empty title="Nothing found">
                  <p>
                    No user ID begins like that. <a href={here}>Show all users</a>
                  </p>
                </Empty>
              ) : after !== '' ? (
                <Empty title="No more users" />
              ) : (
                <Empty title="No users yet">
                  <p>A device belongs to a user once its app registers it with a user ID.</p>
                </Empty>
              )}
              <Paging from={after} next={next} pageOf={(from) => here + queryOf({ q: asked, after: from })} />
            </>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
