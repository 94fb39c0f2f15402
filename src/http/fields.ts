import { failure, loggedAs, Refused } from '../failure.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Field<T> {
  readonly schema: JsonSchema
  readonly emptyIsAbsent: boolean
  /** Never called for `null`. Throws `Refused` naming `name`, the problem and what is allowed. */
  read(value: unknown, name: string): T
}

export interface Member<T, Required extends boolean> {
  readonly field: Field<T>
  readonly required: Required
  readonly also: readonly string[]
  /** Follows "is required". */
  readonly hint?: string
}

export function required<T>(field: Field<T>, also: readonly string[] = [], hint = ''): Member<T, true> {
  return { field, required: true, also, hint }
}

export function optional<T>(field: Field<T>, also: readonly string[] = []): Member<T, false> {
  return { field, required: false, also }
}

export function describedAs<T>(description: string, field: Field<T>): Field<T> {
  return { ...field, schema: { ...field.schema, description } }
}

interface NamedMember extends Member<unknown, boolean> {
  readonly name: string
}

type Members = Readonly<Record<string, Member<unknown, boolean>>>

export type Input<M extends Members> = {
  readonly [K in keyof M as M[K] extends Member<unknown, true> ? K : never]: M[K] extends Member<infer T, boolean>
    ? T
    : never
} & {
  readonly [K in keyof M as M[K] extends Member<unknown, true> ? never : K]?: M[K] extends Member<infer T, boolean>
    ? T
    : never
}

/**
 * One description of a body, which gives its reading, type and OpenAPI schema. A Standard Schema (standardschema.dev),
 * as Elysia takes it. TypeBox would refuse what real clients send, such as numbers for strings, and has no failure
 * codes.
 */
export interface Body<T> {
  readonly schema: JsonSchema
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'bellhop'
    readonly validate: (value: unknown) => { readonly value: T }
    readonly types?: { readonly input: unknown; readonly output: T }
  }
}

export type Given = Readonly<Record<string, unknown>>

/**
 * `then` may check and shape the whole. Unknown fields are ignored (see `closed`), `null` counts as absent, and missing
 * fields are reported before wrong ones.
 */
export function bodyOf<M extends Members>(members: M): Body<Input<M>>
export function bodyOf<M extends Members, T>(members: M, then: (input: Input<M>, given: Given) => T): Body<T>
export function bodyOf<M extends Members, T>(
  members: M,
  then?: (input: Input<M>, given: Given) => T,
): Body<T | Input<M>> {
  const all: NamedMember[] = []
  const properties: Record<string, JsonSchema> = {}
  for (const [name, member] of Object.entries(members)) {
    const { schema } = member.field
    all.push({ name, ...member })
    properties[name] = schema
    for (const other of member.also) properties[other] = { ...schema, description: `Read where \`${name}\` is absent.` }
  }
  const needed = all.filter((member) => member.required)

  function validate(value: unknown): { value: T | Input<M> } {
    const given = value as Given
    for (const member of needed) if (spellingOf(given, member) === null) throw missing(member.name, member.hint)
    const input: Record<string, unknown> = {}
    for (const member of all) {
      const spelling = spellingOf(given, member)
      if (spelling !== null) input[member.name] = member.field.read(given[spelling], spelling)
    }
    const shaped = input as Input<M>
    return { value: then === undefined ? shaped : then(shaped, given) }
  }

  return {
    schema: { type: 'object', properties, ...(needed.length > 0 && { required: needed.map(({ name }) => name) }) },
    '~standard': { version: 1, vendor: 'bellhop', validate },
  }
}

/** Refuses unknown fields first. `null` counts as absent. */
export function closed<T>(body: Body<T>, refusal: (name: string) => Refused): Body<T> {
  const { schema } = body
  const known = schema['properties'] as object
  return {
    schema: { ...schema, additionalProperties: false },
    '~standard': {
      ...body['~standard'],
      validate(value) {
        for (const [name, given] of Object.entries(value as Given)) {
          if (given !== null && !Object.hasOwn(known, name)) throw refusal(name)
        }
        return body['~standard'].validate(value)
      },
    },
  }
}

/** `null`: the member is absent. */
function spellingOf(given: Given, { name, field, also }: NamedMember): string | null {
  if (isPresent(given[name], field)) return name
  for (const other of also) if (isPresent(given[other], field)) return other
  return null
}

function isPresent(value: unknown, field: Field<unknown>): boolean {
  return value !== undefined && value !== null && !(value === '' && field.emptyIsAbsent)
}

export function missing(name: string, hint = ''): Refused {
  return new Refused(failure('MissingParameter', `${name} is required${hint}.`))
}

/** Does not log what the caller sent: `problem` from `, not …` on, and `name` after a dot or bracket, but an index. */
export function invalid(name: string, problem: string): Refused {
  const [, field = '', below = ''] = /^([^.[]*(?:\[\d{1,4}\])*)(.?)/s.exec(name) ?? []
  const logged = `${field}${below === '' ? '' : `${below}…`} ${problem.replace(/, not .*$/s, '')}.`
  return new Refused(loggedAs(failure('InvalidArgument', `${name} ${problem}.`), logged))
}

export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 32 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/**
 * `read` returns `undefined` for a wrong value. `expected` follows `… must be `. `isSecret`: errors do not repeat the
 * value.
 */
export function fieldOf<T>(
  schema: JsonSchema,
  expected: string,
  read: (value: unknown) => T | undefined,
  { emptyIsAbsent = true, isSecret = false } = {},
): Field<T> {
  return {
    schema,
    emptyIsAbsent,
    read(value, name) {
      const found = read(value)
      if (found !== undefined) return found
      throw invalid(name, `must be ${expected}${isSecret ? '' : `, not ${show(value)}`}`)
    },
  }
}

/** Also in digits. */
export function wholeNumber(min: number, max: number): Field<number> {
  const schema = { type: 'integer', minimum: min, maximum: max }
  return fieldOf(schema, `a whole number from ${min} to ${max}`, (value) => {
    const read = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
    const isIn = Number.isInteger(read) && (read as number) >= min && (read as number) <= max
    return isIn ? (read as number) + 0 : undefined
  })
}
