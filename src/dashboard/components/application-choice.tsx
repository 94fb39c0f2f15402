import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { ChoiceField } from './field.tsx'

interface Props {
  readonly applications: readonly ApplicationName[]
  /** An ID; `''`: all applications. */
  readonly value: string
  readonly onValue: (id: string) => void
  /** The text of the choice `''`. */
  readonly all: string
}

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
