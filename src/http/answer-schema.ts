import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import type { Platform } from '../platform.ts'
import type { JsonSchema } from './fields.ts'

/*
 * One description of an answer, as `fields.ts` has it for bodies: a JSON Schema (OpenAPI 3.1) that also gives the
 * TypeScript type (`AnswerOf`) and an example. A schema with a `title` becomes a component of the document
 * (`components.ts`).
 */

/** Outside of JSON, so that only the whole answer shows an example. */
const EXAMPLE = Symbol('example')

/** `T`: the type of what fits it. */
export interface AnswerSchema<T> extends JsonSchema {
  readonly [EXAMPLE]?: T | undefined
}

/** `unknown` for a schema made without these builders. */
export type AnswerOf<A> = A extends AnswerSchema<infer T> ? T : unknown

type Properties = Readonly<Record<string, JsonSchema>>

type ObjectOf<P extends Properties, Optional extends keyof P> = {
  readonly [K in Exclude<keyof P, Optional>]: AnswerOf<P[K]>
} & { readonly [K in Optional]?: AnswerOf<P[K]> | undefined }

export function shapeOf<P extends Properties, Optional extends keyof P & string = never>(
  properties: P,
  optional: readonly Optional[] = [],
): AnswerSchema<ObjectOf<P, Optional>> {
  const required = Object.keys(properties).filter((name) => !optional.some((one) => one === name))
  const examples = Object.entries(properties).flatMap(([name, schema]) => {
    const example = exampleOf(schema)
    return example === undefined ? [] : [[name, example] as const]
  })
  const shown = Object.fromEntries(examples)
  const isWhole = required.every((name) => name in shown)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    [EXAMPLE]: isWhole ? (shown as ObjectOf<P, Optional>) : undefined,
  }
}

export function objectSchema<P extends Properties, Optional extends keyof P & string = never>(
  title: string,
  properties: P,
  optional: readonly Optional[] = [],
): AnswerSchema<ObjectOf<P, Optional>> {
  return { title, ...shapeOf(properties, optional) }
}

export function mapOf<T>(
  values: AnswerSchema<T>,
  description?: string,
  example?: Readonly<Record<string, T>>,
): AnswerSchema<Readonly<Record<string, T>>> {
  return saying({ type: 'object', additionalProperties: values }, description, example)
}

export function listOf<T>(items: AnswerSchema<T>, description?: string): AnswerSchema<readonly T[]> {
  const example = items[EXAMPLE]
  return saying({ type: 'array', items }, description, example === undefined ? undefined : [example])
}

export function text(description?: string, example?: string): AnswerSchema<string> {
  return saying({ type: 'string' }, description, example)
}

export function oneOf<const V extends string>(
  values: readonly V[],
  description?: string,
  example?: V,
): AnswerSchema<V> {
  return saying({ type: 'string', enum: values }, description, example)
}

export function count(description?: string, example?: number): AnswerSchema<number> {
  return saying({ type: 'integer', minimum: 0 }, description, example)
}

export function number(description?: string, example?: number): AnswerSchema<number> {
  return saying({ type: 'number' }, description, example)
}

export function yesOrNo(description?: string, example?: boolean): AnswerSchema<boolean> {
  return saying({ type: 'boolean' }, description, example)
}

/** ISO 8601, UTC. */
export function time(description?: string, example?: string): AnswerSchema<string> {
  return saying({ type: 'string', format: 'date-time' }, description, example)
}

export function uuid(description: string, example?: string): AnswerSchema<string> {
  return saying({ type: 'string', format: 'uuid' }, description, example)
}

export function anything(description?: string): AnswerSchema<unknown> {
  return saying({}, description)
}

export function anyOf<T extends readonly JsonSchema[]>(...schemas: T): AnswerSchema<AnswerOf<T[number]>> {
  return { anyOf: schemas }
}

/** `example` replaces that of the schema. */
export function orNull<T>(schema: AnswerSchema<T>, example?: T | null): AnswerSchema<T | null> {
  const { type, title, enum: values, description } = schema
  const shown = example === undefined ? schema[EXAMPLE] : example
  if (typeof type !== 'string' || title !== undefined) {
    const { description: _, ...rest } = schema
    const kinds = Array.isArray(rest['anyOf']) ? (rest['anyOf'] as readonly unknown[]) : [rest]
    return saying({ anyOf: [...kinds, { type: 'null' }] }, description as string | undefined, shown)
  }
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    [EXAMPLE]: shown,
  }
}

export function exampleOf<T>(schema: AnswerSchema<T>): T | undefined {
  return schema[EXAMPLE]
}

/** `undefined`: the object around it does not show this property. */
export function shownAs<T>(schema: AnswerSchema<T>, example: NoInfer<T> | undefined): AnswerSchema<T> {
  return { ...schema, [EXAMPLE]: example }
}

function saying<T>(schema: JsonSchema, description: string | undefined, example?: T): AnswerSchema<T> {
  return { ...schema, ...(description !== undefined && { description }), [EXAMPLE]: example }
}

export const platformSchema = oneOf(
  PLATFORMS.map((platform): `${Platform}` => `${platform}`),
  `${PLATFORM_CHOICE}.`,
  '0',
)

export function doneAnswer(message: string, status = 200) {
  return { [status]: { description: message, schema: shownAs(DONE, { message }) } }
}

const DONE = objectSchema('Done', { message: text('What was done, in a word or two.') })

/**
 * The Link header of a list; relative, since a proxy may have removed a prefix. `user`: the list has only this user's
 * devices.
 */
export function nextPage(limit: number, after: number, user?: string): string {
  const ofUser = user === undefined ? '' : `&user=${encodeURIComponent(user)}`
  return `<?limit=${limit}&after=${after}${ofUser}>; rel="next"`
}

/** RFC 8288. */
export const NEXT_PAGE: JsonSchema = {
  description:
    'Leads to the next page, `<?limit=…&after=…>; rel="next"`, relative to the address of the call; absent on the last.',
  schema: { type: 'string' },
}
