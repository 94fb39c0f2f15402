import { useSignal } from '@preact/signals'
import type {
  AdministratorsAnswer,
  NewLinkAnswer,
  NewTokenAnswer,
  TokensAnswer,
} from '../../admin/api-types/administrator-types.ts'
import { call, readSession, session } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useResource } from '../client/resource.ts'
import { Badge } from '../components/badge.tsx'
import { DataTable } from '../components/data-table.tsx'
import { Confirming } from '../components/dialog.tsx'
import { ChoiceField, keptIn, NewPasswordField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { SecondFactor } from '../components/second-factor.tsx'
import { time } from '../components/text.ts'

export function AdministratorsPage() {
  const link = useSignal<NewLinkAnswer | null>(null)
  const list = useResource<AdministratorsAnswer>('/api/administrators')
  return (
    <Page
      lead="All administrators have the same permissions."
      action={
        <Form
          submit="Invite administrator"
          onSubmit={async () => {
            link.value = await call<NewLinkAnswer>('POST', '/api/administrators')
          }}
        />
      }
      curl={[
        adminCurl('GET', '/api/administrators'),
        adminCurl('POST', '/api/tokens', { name: 'ci', purpose: 'send' }),
      ]}
    >
      {link.value !== null && (
        <Notice level="good">
          <p>Whoever opens this link creates an administrator. It works once, until {time(link.value.expiresAt)}.</p>
          <Code text={`${location.origin}/setup#${link.value.link}`} label="Link" />
        </Notice>
      )}
      <Loaded of={list}>{(value) => <Administrators {...value} onChange={list.reload} />}</Loaded>
      <h2>Tokens</h2>
      <p>For programs. A token works until it expires or is revoked.</p>
      <Tokens />
      <h2>You</h2>
      <Password />
      <SecondFactor onChange={list.reload} />
      <h3>Sessions</h3>
      <Form
        isQuiet
        submit="Sign out everywhere"
        onSubmit={async () => {
          await call('DELETE', '/api/sessions')
          await readSession()
        }}
      />
    </Page>
  )
}

function Administrators({ administrators, onChange }: AdministratorsAnswer & { readonly onChange: () => void }) {
  const isRemovable = (name: string): boolean =>
    administrators.length > 1 && name !== session.value?.administrator?.name
  return (
    <DataTable
      caption="Administrators"
      columns={[
        { name: 'Name', kind: 'name', value: ({ name }) => name },
        {
          name: 'Second factor',
          value: ({ hasSecondFactor }) => (hasSecondFactor ? 'on' : 'off'),
          show: ({ hasSecondFactor }) => (
            <Badge level={hasSecondFactor ? 'good' : 'mind'}>{hasSecondFactor ? 'on' : 'off'}</Badge>
          ),
        },
        { name: 'Added', kind: 'time', value: ({ createdAt }) => createdAt },
        { name: 'Last seen', kind: 'time', value: ({ seenAt }) => seenAt },
        {
          name: 'Change',
          value: () => '',
          show: ({ name }) =>
            isRemovable(name) && (
              <Remove name={name} list="/api/administrators" onDone={onChange}>
                Tokens that they created keep working.
              </Remove>
            ),
        },
      ]}
      rows={administrators}
      keyOf={({ name }) => name}
    />
  )
}

function Tokens() {
  const list = useResource<TokensAnswer>('/api/tokens')
  const name = useSignal('')
  const purpose = useSignal('read')
  const days = useSignal('90')
  const created = useSignal<NewTokenAnswer | null>(null)
  return (
    <>
      {created.value !== null && (
        <Notice level="good">
          <p>Copy it now. You won’t see it again.</p>
          <Code text={created.value.token} label="Token" />
        </Notice>
      )}
      <Loaded of={list}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet">
              <p>Create one for a program that calls the admin API, such as a CI job.</p>
            </Empty>
          ) : (
            <DataTable
              caption="Tokens"
              columns={[
                { name: 'Name', kind: 'name', value: (token) => token.name },
                { name: 'Purpose', value: (token) => token.purpose },
                { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
                { name: 'Created by', value: ({ madeBy }) => madeBy ?? 'unknown' },
                { name: 'Last used', kind: 'time', value: ({ usedAt }) => usedAt },
                { name: 'Expires', kind: 'time', value: ({ expiresAt }) => expiresAt },
                {
                  name: 'Change',
                  value: () => '',
                  show: (token) => <Remove name={token.name} list="/api/tokens" onDone={list.reload} />,
                },
              ]}
              rows={tokens}
              keyOf={(token) => token.name}
            />
          )
        }
      </Loaded>
      <Form
        isQuiet
        submit="Create token"
        onSubmit={async () => {
          const body = { name: name.value, purpose: purpose.value, expiresInDays: days.value }
          created.value = await call<NewTokenAnswer>('POST', '/api/tokens', { body })
          name.value = ''
          list.reload()
        }}
      >
        <TextField label="Name" hint="The program that uses it" placeholder="prometheus" {...keptIn(name)} required />
        <ChoiceField label="Purpose" options={PURPOSES} {...keptIn(purpose)} />
        <ChoiceField label="Expires" options={EXPIRIES} {...keptIn(days)} />
      </Form>
    </>
  )
}

const PURPOSES = [
  ['read', 'Read everything, change nothing'],
  ['send', 'Also send, cancel and resend pushes'],
  ['operate', 'Also change applications, devices and webhooks'],
  ['administer', 'Everything, administrators and tokens too'],
] as const

const EXPIRIES = [
  ['7', 'in 7 days'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['never', 'never'],
] as const

interface Removing {
  readonly name: string
  readonly list: string
  readonly onDone: () => void
  readonly children?: string
}

function Remove({ name, list, onDone, children = '' }: Removing) {
  return (
    <Confirming
      kind="quiet"
      text={
        <>
          Remove<span class="unseen"> {name}</span>…
        </>
      }
      title={`Remove ${name}?`}
      submit="Remove"
      onSubmit={async () => {
        await call('DELETE', `${list}/${encodeURIComponent(name)}`)
        onDone()
      }}
    >
      <p>
        <bdi>{name}</bdi> loses access immediately. {children}
      </p>
    </Confirming>
  )
}

function Password() {
  const current = useSignal('')
  const password = useSignal('')
  const isDone = useSignal(false)
  return (
    <>
      <h3>Password</h3>
      {isDone.value && <Notice level="good">Password changed. Your other sessions were signed out.</Notice>}
      <Form
        isQuiet
        submit="Change password"
        onSubmit={async () => {
          await call('PUT', '/api/password', { body: { current: current.value, password: password.value } })
          isDone.value = true
          current.value = ''
          password.value = ''
        }}
      >
        <TextField
          type="password"
          label="Current password"
          {...keptIn(current)}
          autocomplete="current-password"
          required
        />
        <NewPasswordField label="New password" password={password} />
      </Form>
    </>
  )
}
