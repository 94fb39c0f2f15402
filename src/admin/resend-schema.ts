import { bodyOf } from '../http/fields.ts'
import { lifeFields } from '../push/schedule/timing-schema.ts'
import { knownOnly } from './application-schema.ts'

export const ResendBody = knownOnly(bodyOf({ confirm: lifeFields.confirm }))
