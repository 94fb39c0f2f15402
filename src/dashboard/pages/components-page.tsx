import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Badge } from '../components/badge.tsx'
import { Chart } from '../components/chart.tsx'
import { DataTable } from '../components/data-table.tsx'
import { contrast, rgbOf, SHAPE_PAIRS, SPACES, TEXT_PAIRS, TYPE_SCALE } from '../components/design.ts'
import { Confirming, Opener, Telling } from '../components/dialog.tsx'
import { AreaField, CheckField, checkedIn, ChoiceField, Choices, keptIn, TextField } from '../components/field.tsx'
import { Facts, Figures } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Failed, Loading } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'
import { LockScreens } from '../components/push/lock-screen.tsx'
import { ProgressBar } from '../components/push/progress-bar.tsx'

/** Every component in every state. Not in the release. */
export function ComponentsPage() {
  return (
    <Page lead="Each thing that pages are made of, in each of its states. Only in development.">
      <Colours />
      <h2>Type scale</h2>
      {TYPE_SCALE.map(([rem, use]) => (
        <p key={rem} style={{ fontSize: `${rem}rem` }}>
          {use}, {rem}rem
        </p>
      ))}
      <h2>Spacing</h2>
      {SPACES.map((px) => (
        <p key={px} class="buttons" style={{ margin: 0 }}>
          <span style={{ width: `${px}px`, height: '12px', background: 'var(--accent)' }} /> {px}px
        </p>
      ))}
      <Controls />
      <States />
      <Data />
    </Page>
  )
}

function Colours() {
  const probe = useRef<HTMLDivElement>(null)
  const colours = useSignal<Readonly<Record<string, string>>>({})
  useEffect(() => {
    const { current } = probe
    if (current === null) return
    const names = new Set([...TEXT_PAIRS, ...SHAPE_PAIRS].flat())
    colours.value = Object.fromEntries(
      Array.from(names, (name) => {
        current.style.color = `var(--${name})`
        return [name, getComputedStyle(current).color]
      }),
    )
  }, [])
  const ratio = (one: string, other: string): string =>
    contrast(rgbOf(colours.value[one] ?? ''), rgbOf(colours.value[other] ?? '')).toFixed(1)
  return (
    <>
      <h2>Colours</h2>
      <p ref={probe} hidden />
      <div class="cards">
        {TEXT_PAIRS.map(([text, ground]) => (
          <p key={text + ground} class="card" style={{ color: `var(--${text})`, background: `var(--${ground})` }}>
            {text} on {ground}: {ratio(text, ground)}
          </p>
        ))}
      </div>
      <Facts of={SHAPE_PAIRS.map(([shape, ground]) => [`${shape} on ${ground}`, ratio(shape, ground)])} />
    </>
  )
}

function Controls() {
  const text = useSignal('Hello')
  const choice = useSignal('one')
  const isOn = useSignal(true)
  const options = [
    ['one', 'The first'],
    ['two', 'The second'],
  ] as const
  return (
    <>
      <h2>Fields and buttons</h2>
      <Form
        submit="Save"
        onSubmit={() => Promise.reject(new Error('name is taken: this form always fails.'))}
        beside={
          <>
            <button type="button">Another</button>
            <button type="button" class="danger">
              Dangerous
            </button>
            <button type="button" class="quiet">
              Quiet
            </button>
            <button type="button" aria-busy="true">
              Busy
            </button>
          </>
        }
      >
        <TextField label="Text" hint="A hint" placeholder="Nothing typed" {...keptIn(text)} />
        <TextField label="Wrong" problem="What is wrong with it" {...keptIn(text)} />
        <AreaField label="Lines" {...keptIn(text)} />
        <ChoiceField label="Choice" {...keptIn(choice)} options={options} />
        <Choices legend="One of a few" {...keptIn(choice)} options={options} />
        <CheckField label="Switch" {...checkedIn(isOn)} />
      </Form>
      <div class="buttons">
        <Opener text="Dialog…" dialog={(close) => <Telling title="A dialog" button="Close" onClose={close} />} />
        <Confirming text="Delete…" title="Delete it?" submit="Delete" onSubmit={() => Promise.resolve()} />
      </div>
      <Code text="bellhop serve" label="Code" />
    </>
  )
}

function States() {
  return (
    <>
      <h2>States</h2>
      <p>
        <Badge level="plain">plain</Badge> <Badge level="good">good</Badge> <Badge level="mind">mind</Badge>{' '}
        <Badge level="bad">bad</Badge>
      </p>
      <Notice level="note">A note</Notice>
      <Notice level="good">It is done</Notice>
      <Notice level="warning">A warning</Notice>
      <Notice level="error">An error</Notice>
      <Loading />
      <Failed problem="The list could not be read." onRetry={() => {}} />
      <Empty title="Nothing yet">
        <p>What it would be, and what to do.</p>
      </Empty>
    </>
  )
}

const DAYS = Array.from({ length: 30 }, (_, day) => `2026-11-${String(day + 1).padStart(2, '0')}`)

function Data() {
  return (
    <>
      <h2>Data</h2>
      <Figures
        of={[
          ['Figure', 1234],
          ['Of a whole', 56, '4.5 %'],
        ]}
      />
      <Facts of={[['Fact', 'Its value']]} />
      <DataTable
        caption="A table"
        columns={[
          { name: 'Name', kind: 'name', value: ({ name }) => name, link: () => '#content' },
          { name: 'Number', kind: 'number', value: ({ number }) => number },
          { name: 'Time', kind: 'time', value: ({ at }) => at },
          { name: 'Code', kind: 'code', value: ({ name }) => name.repeat(8) },
        ]}
        rows={[
          { name: 'first', number: 1234, at: '2026-11-26T09:00:00Z' },
          { name: 'second', number: 5, at: '2026-11-25T09:00:00Z' },
        ]}
        keyOf={({ name }) => name}
      />
      <Paging from="1" next="2" pageOf={() => '#content'} />
      <Chart
        caption="A chart"
        days={DAYS}
        series={[
          { name: 'sent', mark: 'first', values: DAYS.map((_, day) => (day * 37) % 100) },
          { name: 'opened', mark: 'second', values: DAYS.map((_, day) => (day * 11) % 40) },
        ]}
      />
      <ProgressBar
        progress={{
          addressed: 100,
          accepted: 60,
          failed: 10,
          waiting: 30,
          state: 'sending',
          rate: 20,
          reason: null,
          sendAt: null,
          local: null,
        }}
      />
      <LockScreens shown={{ application: 'shop', title: 'On its way', msg: 'Your parcel comes today.' }} />
    </>
  )
}
