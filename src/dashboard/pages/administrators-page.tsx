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
import type { Resource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { ChoiceField, keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { NewPasswordField } from '../components/new-password-field.tsx'
import { Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { SecondFactor } from '../components/second-factor.tsx'
import { time } from '../components/text.ts'

/** Who may be here, what programs may, and one's own password. */
export function AdministratorsPage() {
  const link = useSignal<NewLinkAnswer | null>(null)
  const list = useResource<AdministratorsAnswer>('/api/administrators')
  return (
    <Page
      title="Administrators"
      lead="Equal rights for each"
      action={
        <Form
          submit="Invite somebody"
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
          <p>Whoever opens this becomes an administrator. It is good once, until {time(link.value.expiresAt)}.</p>
          <Code text={`${location.origin}/setup#${link.value.link}`} label="Link" />
        </Notice>
      )}
      <Administrators {...list} />
      <h2>Tokens</h2>
      <p>For programs. Each has a purpose, and works until it ends or is revoked.</p>
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

function Administrators({ value, problem, reload }: Resource<AdministratorsAnswer>) {
  const isLast = value?.administrators.length === 1
  return (
    <>
      {problem !== null && <Notice level="error">{problem}</Notice>}
      {value !== null && (
        <DataTable
          caption="Administrators"
          columns={[
            { name: 'Name', value: ({ name }) => name, show: ({ name }) => <bdi>{name}</bdi> },
            { name: 'Added', isTime: true, value: ({ createdAt }) => createdAt },
            { name: 'Seen', isTime: true, value: ({ seenAt }) => seenAt },
            { name: 'Second factor', value: ({ hasSecondFactor }) => (hasSecondFactor ? 'on' : 'off') },
            {
              name: 'Change',
              value: () => '',
              show: ({ name }) =>
                isLast || name === session.value?.administrator?.name ? (
                  ''
                ) : (
                  <Remove what={name} path={`/api/administrators/${encodeURIComponent(name)}`} onDone={reload} />
                ),
            },
          ]}
          rows={value.administrators}
          keyOf={({ name }) => name}
        />
      )}
    </>
  )
}

function Tokens() {
  const { value, problem, reload } = useResource<TokensAnswer>('/api/tokens')
  const name = useSignal('')
  const purpose = useSignal('read')
  const days = useSignal('90')
  const made = useSignal<NewTokenAnswer | null>(null)
  return (
    <>
      {problem !== null && <Notice level="error">{problem}</Notice>}
      {made.value !== null && (
        <Notice level="good">
          <p>It is shown this once.</p>
          <Code text={made.value.token} label="Token" />
        </Notice>
      )}
      {value !== null && value.tokens.length > 0 && (
        <DataTable
          caption="Tokens"
          columns={[
            { name: 'Name', value: (token) => token.name, show: (token) => <bdi>{token.name}</bdi> },
            { name: 'Purpose', value: (token) => token.purpose },
            { name: 'Made', isTime: true, value: ({ createdAt }) => createdAt },
            { name: 'Used', isTime: true, value: ({ usedAt }) => usedAt },
            { name: 'Ends', isTime: true, value: ({ expiresAt }) => expiresAt },
            {
              name: 'Change',
              value: () => '',
              show: (token) => (
                <Remove what={token.name} path={`/api/tokens/${encodeURIComponent(token.name)}`} onDone={reload} />
              ),
            },
          ]}
          rows={value.tokens}
          keyOf={(token) => token.name}
        />
      )}
      <Form
        isQuiet
        submit="Make a token"
        onSubmit={async () => {
          const body = { name: name.value, purpose: purpose.value, expiresInDays: days.value }
          made.value = await call<NewTokenAnswer>('POST', '/api/tokens', { body })
          name.value = ''
          reload()
        }}
      >
        <TextField label="Who uses the token?" placeholder="prometheus" {...keptIn(name)} required />
        <ChoiceField label="What may it do?" options={PURPOSES} {...keptIn(purpose)} />
        <ChoiceField label="When does it end?" options={ENDS} {...keptIn(days)} />
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

const ENDS = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['never', 'Never'],
] as const

interface Removing {
  readonly what: string
  readonly path: string
  readonly onDone: () => void
}

/** Asks once more, in its place. */
function Remove({ what, path, onDone }: Removing) {
  const isAsked = useSignal(false)
  if (!isAsked.value) {
    return (
      <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
        Remove<span class="unseen"> {what}</span> …
      </button>
    )
  }
  return (
    <Form
      submit={`Remove ${what}`}
      isDangerous
      onSubmit={async () => {
        await call('DELETE', path)
        onDone()
      }}
    />
  )
}

function Password() {
  const current = useSignal('')
  const password = useSignal('')
  const isDone = useSignal(false)
  return (
    <>
      <h3>Password</h3>
      {isDone.value && <Notice level="good">It is changed, and every other session of yours is over.</Notice>}
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
          label="The one until now"
          {...keptIn(current)}
          autocomplete="current-password"
          required
        />
        <NewPasswordField label="The new one" password={password} />
      </Form>
    </>
  )
}
