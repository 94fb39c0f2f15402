import type { HookCallView, HooksAnswer, HookView } from '../../admin/api-types/hook-types.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Confirming, Opener } from '../components/dialog.tsx'
import { Facts } from '../components/figures.tsx'
import { HookForm } from '../components/hook/hook-form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

export function HooksPage() {
  const { id } = useApplication()
  const path = applicationCall(id, 'hooks')
  const list = useResource<HooksAnswer>(path)
  useFresh(list)
  return (
    <Page
      lead="What other services post becomes a push."
      action={
        <Opener
          kind="primary"
          text="Add hook…"
          dialog={(close) => <HookForm id={id} hook={null} onDone={list.reload} onClose={close} />}
        />
      }
      curl={[adminCurl('GET', path), adminCurl('PUT', `${path}/orders`, { template: '{"push":…}' })]}
    >
      <Loaded of={list}>
        {({ hooks }) =>
          hooks.length === 0 ? (
            <Empty title="No hooks yet">
              <p>On the command line:</p>
              <Code text={`bellhop hook create ${id} orders --template orders.json`} label="Command" />
            </Empty>
          ) : (
            hooks.map((hook) => <Hook key={hook.name} id={id} hook={hook} onChanged={list.reload} />)
          )
        }
      </Loaded>
    </Page>
  )
}

interface HookProps {
  readonly id: string
  readonly hook: HookView
  readonly onChanged: () => void
}

function Hook({ id, hook, onChanged }: HookProps) {
  const { name, template, signature, changedAt, calls } = hook
  return (
    <section>
      <h2>{name}</h2>
      <Facts
        of={[
          ['Path', <code>{signature === null ? `/hook/${name}/KEY` : `/hook/${name}`}</code>],
          ['Calls have a', signature === null ? 'key' : `${signature} signature`],
          ['Changed', time(changedAt)],
        ]}
      />
      <Code text={template} label={`Template of ${name}`} />
      {calls.length === 0 ? (
        <p>No call has come yet.</p>
      ) : (
        <DataTable caption={`Last calls of ${name}`} columns={columnsOf(id)} rows={calls} keyOf={({ at }) => at} />
      )}
      <div class="buttons">
        <Opener
          text="Change…"
          dialog={(close) => <HookForm id={id} hook={hook} onDone={onChanged} onClose={close} />}
        />
        <Confirming
          text="Delete…"
          title="Delete hook"
          submit="Delete"
          onSubmit={async () => {
            await call('DELETE', applicationCall(id, 'hooks', name))
            onChanged()
          }}
        >
          <p>Calls of {name} are refused from then on.</p>
        </Confirming>
      </div>
    </section>
  )
}

const columnsOf = (id: string): readonly Column<HookCallView>[] => [
  { name: 'Last', kind: 'time', value: ({ at }) => at },
  { name: 'Times', kind: 'number', value: ({ repeats }) => repeats },
  { name: 'Outcome', value: ({ outcome }) => outcome },
  {
    name: 'Push, or why not',
    value: ({ detail }) => detail,
    link: ({ outcome, detail }) => (outcome === 'pushed' ? applicationPage(id, 'pushes', detail) : null),
  },
]
