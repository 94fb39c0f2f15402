import { basename, join } from 'node:path'
import ts from 'typescript-classic'

/** JSON Schema (2020-12), as OpenAPI 3.1 has it. */
type JsonSchema = Readonly<Record<string, unknown>>

const root = join(import.meta.dir, '..', '..')

/** Where the schemas are kept, for the executable, which has no compiler. */
export const SCHEMAS_FILE = join(root, 'src', 'admin', 'answer-schemas.json')

/** The shapes of the admin API's answers as schemas by their names, from the types that the server and the pages share. */
export function answerSchemas(): Readonly<Record<string, JsonSchema>> {
  const files = [...new Bun.Glob('src/admin/api-types/*.ts').scanSync({ cwd: root, absolute: true })].toSorted()
  const program = ts.createProgram(files, { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] })
  const checker = program.getTypeChecker()
  const named = new Map<string, ts.Type>()
  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${basename(file)} exports nothing`)
    for (const symbol of checker.getExportsOfModule(module)) {
      if (!symbol.name.endsWith('Request')) named.set(symbol.name, checker.getDeclaredTypeOfSymbol(symbol))
    }
  }
  const nameOf = (type: ts.Type) => {
    const name = (type.aliasSymbol ?? type.symbol)?.name ?? ''
    return named.get(name) === type ? name : null
  }

  function schemaOf(type: ts.Type): JsonSchema {
    const name = nameOf(type)
    return name === null ? described(type) : { $ref: `#/components/schemas/${name}` }
  }

  function described(type: ts.Type): JsonSchema {
    if (type.isUnion()) return union(type.types)
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] }
    if (type.flags & ts.TypeFlags.String) return { type: 'string' }
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' }
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
    if (type.flags & ts.TypeFlags.Unknown) return {}
    const element = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined
    if (element !== undefined) return { type: 'array', items: schemaOf(element) }
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    if (values !== undefined) return { type: 'object', additionalProperties: schemaOf(values) }
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
      throw new Error(`no schema for ${checker.typeToString(type)}`)
    }
    return objectOf(type)
  }

  function objectOf(type: ts.Type): JsonSchema {
    const members = checker.getPropertiesOfType(type)
    const properties = members.map((member) => {
      const comment = ts.displayPartsToString(member.getDocumentationComment(checker)).replaceAll('\n', ' ')
      const schema = schemaOf(checker.getTypeOfSymbol(member))
      // Beside `$ref` a description may stand (OpenAPI 3.1.0, 4.8.23).
      return [member.name, comment === '' ? schema : { ...schema, description: comment }] as const
    })
    const required = members.filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0).map(({ name }) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    }
  }

  function union(types: readonly ts.Type[]): JsonSchema {
    const isNull = (type: ts.Type) => (type.flags & ts.TypeFlags.Null) !== 0
    // What may be missing is not required, and that is all.
    const others = types.filter((type) => !isNull(type) && (type.flags & ts.TypeFlags.Undefined) === 0)
    const nullable = types.some(isNull)
    const literals = others.flatMap((type) => (type.isStringLiteral() ? [type.value] : []))
    const isBoolean = others.every((type) => (type.flags & ts.TypeFlags.BooleanLike) !== 0)
    const shapes: JsonSchema[] = isBoolean
      ? [{ type: 'boolean' }]
      : literals.length === others.length
        ? [{ type: 'string', enum: literals }]
        : withoutRepeats(others.map(schemaOf))
    const all = nullable ? [...shapes, { type: 'null' }] : shapes
    return all.length === 1 ? (all[0] ?? {}) : { anyOf: all }
  }

  return Object.fromEntries(
    [...named].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, type]) => [name, described(type)]),
  )
}

/** true and false are two types to the compiler. */
function withoutRepeats(shapes: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]
}
