import { useLocation } from 'preact-iso/router'
import type { DevicesAnswer, DeviceSearchAnswer } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { ALL_PLATFORMS, PLATFORMS } from '../client/platforms.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { DeviceTable, STATE_NAMES } from '../components/device-table.tsx'
import { ChoiceField, TextField } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'
import { SearchForm } from '../components/search-form.tsx'

export function DevicesPage() {
  const { id } = useApplication()
  const { q: asked = '', by = '' } = useLocation().query
  const search = applicationCall(id, 'devices', 'search') + queryOf({ q: asked === '' ? 'vip' : asked, by })
  return (
    <Page
      lead="Newest first"
      curl={[
        adminCurl('GET', applicationCall(id, 'devices')),
        adminCurl('GET', search),
        publicCurl({ method: 'GET', path: '/deviceToken/all', application: id }),
      ]}
    >
      <SearchForm
        page={applicationPage(id, 'devices')}
        asked={asked}
        label="Token, alias, user or tag"
        hint="The first 8 characters of a token are enough. Everything else must match exactly."
      />
      {asked === '' ? <Newest /> : <Found search={search} />}
    </Page>
  )
}

function Found({ search }: { readonly search: string }) {
  const { id } = useApplication()
  const found = useResource<DeviceSearchAnswer>(search)
  return (
    <div aria-live="polite">
      <Loaded of={found}>
        {({ by, devices }) =>
          by === null ? (
            <Empty title="Nothing found">
              <p>
                No device has that token, alias, user or tag.{' '}
                <a href={applicationPage(id, 'devices')}>Show all devices</a>
              </p>
            </Empty>
          ) : (
            <>
              <h2>Found by {by}</h2>
              <DeviceTable application={id} devices={devices} />
              <p>
                <a href={applicationPage(id, 'devices')}>Show all devices</a>
              </p>
            </>
          )
        }
      </Loaded>
    </div>
  )
}

function Newest() {
  const { id } = useApplication()
  const { query, route } = useLocation()
  const { platform = '', state = '', tag = '', user = '', version = '', before = '' } = query
  const filter = { platform, state, tag, user, version }
  const here = applicationPage(id, 'devices')
  const pageOf = (changed: Readonly<Record<string, string>>): string => here + queryOf({ ...filter, ...changed })
  const narrow = (name: keyof typeof filter) => (value: string) => route(pageOf({ [name]: value }), true)
  const list = useResource<DevicesAnswer>(applicationCall(id, 'devices') + queryOf({ ...filter, before }))
  useFresh(list)
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return (
    <>
      <fieldset class="filters" aria-label="Filters">
        <ChoiceField
          label="Platform"
          options={[['', 'All'], ...ALL_PLATFORMS.map((one) => [one, PLATFORMS[one].name] as const)]}
          value={platform}
          onValue={narrow('platform')}
        />
        <ChoiceField
          label="State"
          options={Object.entries(STATE_NAMES).map(([one, name]) => [one === 'registered' ? '' : one, name])}
          value={state}
          onValue={narrow('state')}
        />
        <TextField label="Tag" type="search" value={tag} onValue={narrow('tag')} spellcheck={false} />
        <TextField label="User" type="search" value={user} onValue={narrow('user')} spellcheck={false} />
        <TextField label="App version" type="search" value={version} onValue={narrow('version')} spellcheck={false} />
      </fieldset>
      <Loaded of={list}>
        {({ devices, next }) => (
          <>
            {devices.length > 0 ? (
              <DeviceTable application={id} devices={devices} />
            ) : next !== null ? (
              <p role="status">None among the devices looked at so far.</p>
            ) : before !== '' ? (
              <Empty title="No more devices" />
            ) : isFiltered ? (
              <Empty title="No such devices">
                <p>
                  <a href={here}>Show all devices</a>
                </p>
              </Empty>
            ) : (
              <Empty title="No devices yet">
                <p>
                  An app registers its device at every launch.{' '}
                  <a href={`/welcome/${encodeURIComponent(id)}`}>Send a push</a> to see the code for that.
                </p>
              </Empty>
            )}
            <Paging from={before} next={next} pageOf={(from) => pageOf({ before: from })} />
          </>
        )}
      </Loaded>
    </>
  )
}
