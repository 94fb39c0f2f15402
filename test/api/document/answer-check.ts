import Ajv2020 from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'bun:test'
import type { Json, Operation } from '../../support/openapi.ts'
import type { Answer } from '../../support/service.ts'

/** Judges answers by the document alone, and by somebody else's reading of JSON Schema. */
interface AnswerCheck {
  /** Throws where the document does not say of this operation that it may answer so. */
  expectDescribed(operation: Operation, answer: Answer): void
}

export function createAnswerCheck(document: Json): AnswerCheck {
  // What is no keyword of JSON Schema: OpenAPI's example, and where the references of a schema lead.
  const keywords = ['example', 'components']
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, keywords })
  addFormats(ajv)
  const { components } = document as { components: object }
  const compiled = new Map<Json, ValidateFunction>()
  function fitsOf(schema: Json): ValidateFunction {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components })
    compiled.set(schema, known)
    return known
  }

  return {
    expectDescribed({ method, path, detail }, { status, headers, body }) {
      const response = detail['responses'][status]
      expect(response, `${method} ${path} ${status} ${JSON.stringify(body)}`).toBeDefined()
      expect(headers.get('content-type')).toMatch(/^application\/json\b/)
      const fits = fitsOf(response.content['application/json'].schema)
      expect([fits(body), fits.errors]).toEqual([true, null])
    },
  }
}
