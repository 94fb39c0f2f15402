import { signal } from '@preact/signals'

/** The secret that this page was shown last: until it is loaded anew, it is filled into commands. */
export const newSecret = signal<{ readonly application: string; readonly secret: string } | null>(null)

/** `null`: it was not shown here. */
export function secretOf(application: string): string | null {
  return newSecret.value?.application === application ? newSecret.value.secret : null
}
