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
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'

export function UsersPage() {
  const { id } = useApplication()
  const { query, route } = useLocation()
  const { q: asked = '', after = '' } = query
  const typed = useSignal(asked)
  const here = applicationPage(id, 'users')
  const path = applicationCall(id, 'users') + queryOf({ q: asked, after })
  const { value, problem, reload } = useResource<UsersAnswer>(path)
  return (
    <Page
      lead="The users that devices were registered for"
      problem={problem}
      curl={[
        adminCurl('GET', path),
        publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user: 'ann' } }),
      ]}
    >
      <Form submit="Search" onSubmit={() => Promise.resolve(route(here + queryOf({ q: typed.value.trim() })))}>
        <TextField
          type="search"
          label="User ID"
          hint="Or how it begins. Leave empty to list all users."
          {...keptIn(typed)}
          spellcheck={false}
          autocomplete="off"
        />
      </Form>
      <div aria-live="polite">
        {value?.users.length === 0 && (
          <Empty title={asked !== '' ? 'Nothing found' : after === '' ? 'No users yet' : 'No more users'}>
            <p>
              A device belongs to a user once its app registers it with the field <code>user</code>. One user can have
              several devices.
            </p>
          </Empty>
        )}
        {value !== null && value.users.length > 0 && (
          <DataTable
            caption="Users"
            columns={[
              {
                name: 'User',
                kind: 'name',
                value: ({ user }) => user,
                link: ({ user }) => applicationPage(id, 'devices') + queryOf({ q: user, by: 'user' }),
              },
              { name: 'Registered devices', kind: 'number', value: ({ registered }) => registered },
              { name: 'Unregistered devices', kind: 'number', value: ({ left }) => left },
              {
                name: 'Change',
                value: () => '',
                show: ({ user }) => <EraseUser kind="quiet" application={id} user={user} onErased={reload} />,
              },
            ]}
            rows={value.users}
            keyOf={({ user }) => user}
          />
        )}
        <p class="buttons">
          {after !== '' && <a href={here + queryOf({ q: asked })}>First page</a>}
          {value !== null && value.next !== null && <a href={here + queryOf({ q: asked, after: value.next })}>More</a>}
        </p>
      </div>
    </Page>
  )
}
