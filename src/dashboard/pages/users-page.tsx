import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { UsersAnswer } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'

export function UsersPage() {
  const { id } = useApplication()
  const { query, route } = useLocation()
  const { q: asked = '', after = '' } = query
  const typed = useSignal(asked)
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
      <Form submit="Search" isQuiet onSubmit={() => Promise.resolve(route(here + queryOf({ q: typed.value.trim() })))}>
        <TextField
          type="search"
          label="User ID"
          hint="A prefix works too. Leave empty to list all users."
          {...keptIn(typed)}
          spellcheck={false}
          autocomplete="off"
        />
      </Form>
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
              <Paging
                first={after === '' ? null : here + queryOf({ q: asked })}
                next={next === null ? null : here + queryOf({ q: asked, after: next })}
              />
            </>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
