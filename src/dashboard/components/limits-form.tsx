import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApplicationLimits } from '../../admin/api-types/application-types.ts'
import { CheckField, ChoiceField, TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Notice } from './notice.tsx'

const NUMBERS = [
  ['rate', 'Calls per second without the secret', 'From each address. 0 is unlimited.'],
  ['burst', 'Burst without the secret', 'From each address.'],
  ['backendRate', 'Calls per second with the secret', '0 is unlimited.'],
  ['backendBurst', 'Burst with the secret', undefined],
  ['quota', 'Quota', 'Calls per period. 0 is unlimited.'],
  ['maxDevices', 'Maximum devices', undefined],
  ['maxLabels', 'Maximum tags and types', undefined],
  ['confirmAbove', 'Confirm above', 'A push to more devices must state how many. 0 turns this off.'],
  ['holdSeconds', 'Hold', 'Seconds in which a push to many devices can still be cancelled. 0 turns this off.'],
] as const satisfies readonly (readonly [keyof ApplicationLimits, string, string | undefined])[]

const SWITCHES = [
  ['pushId', 'Include the push ID in each notification'],
  ['secretEverywhere', 'Require the secret for every call'],
  ['verifyUsers', 'Require proof of user and alias from calls without the secret'],
] as const satisfies readonly (readonly [keyof ApplicationLimits, string])[]

interface Props {
  readonly limits: ApplicationLimits
  /** Gets only the changed limits: another administrator may have changed others. */
  readonly onSave: (changed: Partial<ApplicationLimits>) => Promise<void>
}

export function LimitsForm({ limits, onSave }: Props) {
  const typed = useSignal<Partial<ApplicationLimits>>({})
  const isSaved = useSignal(false)
  const set = (change: Partial<ApplicationLimits>): void => {
    typed.value = { ...typed.value, ...change }
    isSaved.value = false
  }
  const save = async (): Promise<void> => {
    const known = limits as unknown as Readonly<Record<string, unknown>>
    const changed = Object.entries(typed.value).filter(([name, value]) => known[name] !== value)
    if (changed.length > 0) await onSave(Object.fromEntries(changed))
    isSaved.value = true
  }
  useEffect(() => {
    if (isSaved.value) typed.value = {}
  }, [JSON.stringify(limits)])
  const shown = { ...limits, ...typed.value }
  return (
    <details>
      <summary>Show limits and safety settings</summary>
      <Form submit="Save limits" isQuiet onSubmit={save}>
        <div class="pair">
          {NUMBERS.map(([name, label, hint]) => (
            <TextField
              key={name}
              type="number"
              min={0}
              label={label}
              {...(hint !== undefined && { hint })}
              value={String(shown[name])}
              onValue={(value) => set({ [name]: Number(value) })}
            />
          ))}
          <ChoiceField
            label="Quota period"
            value={shown.quotaPeriod}
            onValue={(value) => set({ quotaPeriod: value === 'day' ? 'day' : 'month' })}
            options={[
              ['day', 'day'],
              ['month', 'month'],
            ]}
          />
        </div>
        <ChoiceField
          label="A new token replaces an imported device of the same user"
          value={String(shown.adoptImported)}
          onValue={(value) => set({ adoptImported: value === 'null' ? null : value === 'true' })}
          options={[
            ['null', 'after the first import of users'],
            ['true', 'yes'],
            ['false', 'no'],
          ]}
        />
        {SWITCHES.map(([name, label]) => (
          <CheckField key={name} label={label} checked={shown[name]} onValue={(value) => set({ [name]: value })} />
        ))}
        <Notice level="good">{isSaved.value ? 'Limits saved.' : null}</Notice>
      </Form>
    </details>
  )
}
