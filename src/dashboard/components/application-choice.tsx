import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { ChoiceField } from './field.tsx'

interface Props {
  readonly applications: readonly ApplicationName[]
  /** An ID; `''`: all of them. */
  readonly value: string
  readonly onValue: (id: string) => void
  /** What choosing none is called. */
  readonly all: string
}

/** A filter of a list by application. */
export function ApplicationChoice({ applications, all, value, onValue }: Props) {
  return (
    <ChoiceField
      label="Application"
      options={[['', all], ...applications.map(({ id, name }) => [id, name] as const)]}
      value={value}
      onValue={onValue}
    />
  )
}
