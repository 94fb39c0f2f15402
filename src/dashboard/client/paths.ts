import type { ApplicationName } from '../../admin/api-types/application-types.ts'

type Id = ApplicationName['id']

/** Escapes each part: tokens and names may contain slashes. */
export function applicationPage(application: Id, ...rest: readonly (string | number)[]): string {
  return ['/applications', ...[application, ...rest].map((part) => encodeURIComponent(part))].join('/')
}

export function applicationCall(application: Id, ...rest: readonly (string | number)[]): string {
  return `/api${applicationPage(application, ...rest)}`
}

/** `path`: of the public API, beginning with `/`. */
export function onBehalf(application: Id, path: string): string {
  return `/api/applications/${encodeURIComponent(application)}/v1${path}`
}

/** Leaves out empty values. `''`: all are empty. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
