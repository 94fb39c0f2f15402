import type { ApplicationName } from '../../admin/api-types/application-types.ts'

type Id = ApplicationName['id']

/** A page of an application. What is in a token or a name may look like a path. */
export function applicationPage(application: Id, ...rest: readonly (string | number)[]): string {
  return ['/applications', ...[application, ...rest].map((part) => encodeURIComponent(part))].join('/')
}

export function applicationCall(application: Id, ...rest: readonly (string | number)[]): string {
  return `/api${applicationPage(application, ...rest)}`
}

/** A call of the public API in the application's name; `path` begins with `/`. */
export function onBehalf(application: Id, path: string): string {
  return `/api/applications/${encodeURIComponent(application)}/v1${path}`
}

/** `?a=b` without the empty ones; `''`: all are empty. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
