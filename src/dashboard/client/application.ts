import { signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { Resource } from './resource.ts'

export interface ShownApplication extends Resource<ApplicationAnswer> {
  readonly id: string
}

export const ApplicationContext = createContext<ShownApplication | null>(null)

/** Throws on a page that is not below `/applications/:id`. */
export function useApplication(): ShownApplication {
  const application = useContext(ApplicationContext)
  if (application === null) throw new Error('not a page of an application')
  return application
}

/** The last secret shown, for the commands. A reload forgets it. */
export const newSecret = signal<{ readonly application: string; readonly secret: string } | null>(null)

/** `null`: not shown since the last reload. */
export function secretOf(application: string): string | null {
  return newSecret.value?.application === application ? newSecret.value.secret : null
}
