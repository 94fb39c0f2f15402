import { describe, expect, test } from 'bun:test'
import { referenceTo, withComponents } from '../../src/http/document/components.ts'

const NAME = { title: 'Name', type: 'string' }
const documentOf = (rest: object) => ({ components: { schemas: {} }, ...rest })

describe('withComponents', () => {
  test('puts a schema with a title among the components, and a reference in each of its places', () => {
    const { components, ...rest } = withComponents(documentOf({ one: NAME, two: { items: NAME } }))
    expect(components).toEqual({ schemas: { Name: NAME } })
    expect(rest).toEqual({ one: { $ref: referenceTo('Name') }, two: { items: { $ref: referenceTo('Name') } } } as never)
  })

  test('leaves the description in its place', () => {
    const { components, ...rest } = withComponents(
      documentOf({ one: { ...NAME, description: 'Of a device.' }, two: NAME }),
    )
    expect(components).toEqual({ schemas: { Name: NAME } })
    expect(rest).toMatchObject({ one: { $ref: referenceTo('Name'), description: 'Of a device.' } })
  })

  test('finds a schema inside another', () => {
    const outer = { title: 'Outer', type: 'object', properties: { name: NAME, self: { $ref: referenceTo('Outer') } } }
    expect(withComponents(documentOf({ outer })).components.schemas).toEqual({
      Name: NAME,
      Outer: { ...outer, properties: { ...outer.properties, name: { $ref: referenceTo('Name') } } },
    })
  })

  test('touches no example, and no title that is not that of a schema', () => {
    const document = documentOf({
      info: { title: 'API' },
      one: { type: 'object', example: { title: 'Hi', type: 'x' } },
    })
    expect(withComponents(document)).toEqual(document)
  })

  test('throws for two different schemas of one title', () => {
    const document = documentOf({ one: NAME, two: { ...NAME, type: 'integer' } })
    expect(() => withComponents(document)).toThrow('two schemas are called Name')
  })
})
