import { answerSchemas, SCHEMAS_FILE } from './build/answer-schemas.ts'

/** Writes the schemas of the admin API's answers down, after their types have changed. */
await Bun.write(SCHEMAS_FILE, `${JSON.stringify(answerSchemas(), null, 2)}\n`)
