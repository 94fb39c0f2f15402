import { misfitsOf } from '../../../notification/message-type.ts'
import type { FieldType, Misfit, PathStep } from '../../../notification/message-type.ts'
import type { FieldViolation } from './google-error.ts'

/** In Google's words. `path`: Google's name, such as `message.android`; `''`: the whole request. */
export function violationsOf(value: unknown, type: FieldType, path: string): FieldViolation[] {
  return misfitsOf(value, type).map((misfit) => violationOf(misfit, misfit.path.reduce<string>(below, path)))
}

function below(place: string, step: PathStep): string {
  if (typeof step === 'number') return `${place}[${step}]`
  if (typeof step === 'object') return `${place}[${step.index}].value`
  return place === '' ? step : `${place}.${step}`
}

function violationOf({ expected, value }: Misfit, place: string): FieldViolation {
  if (expected === null) {
    const where = place === '' ? '' : ` at '${place}'`
    return violation(
      place,
      `Invalid JSON payload received. Unknown name ${JSON.stringify(value)}${where}: Cannot find field.`,
    )
  }
  const shown = typeof value === 'object' ? 'Starting an object or list on a scalar field' : JSON.stringify(value)
  return violation(place, `Invalid value at '${place}' (${typeName(expected)}), ${shown}`)
}

function typeName(type: FieldType): string {
  if (typeof type === 'string') return SCALARS[type]
  if ('enumName' in type) return PACKAGE + type.enumName
  return 'messageName' in type ? PACKAGE + type.messageName : SCALARS[type.listOf]
}

const PACKAGE = 'type.googleapis.com/google.firebase.fcm.v1.'

const SCALARS: Readonly<Record<Extract<FieldType, string>, string>> = {
  string: 'TYPE_STRING',
  bool: 'TYPE_BOOL',
  int32: 'TYPE_INT32',
  double: 'TYPE_DOUBLE',
  duration: 'type.googleapis.com/google.protobuf.Duration',
  map: 'TYPE_MESSAGE',
  struct: 'type.googleapis.com/google.protobuf.Struct',
}

function violation(place: string, description: string): FieldViolation {
  return place === '' ? { description } : { field: place, description }
}
