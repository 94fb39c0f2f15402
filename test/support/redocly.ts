import { createConfig, lintFromString } from '@redocly/openapi-core'

/** What redocly's recommended rules find in an OpenAPI document. */
export async function redoclyProblems(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
}
