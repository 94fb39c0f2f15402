import { useLocation } from 'preact-iso/router'
import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { applicationPage } from '../client/paths.ts'

const TABS = [
  ['', 'Application'],
  ['send', 'Send'],
  ['pushes', 'Pushes'],
  ['devices', 'Devices'],
  ['credentials', 'Credentials'],
] as const

/** The pages of one application. */
export function ApplicationTabs({ id, name }: Pick<ApplicationName, 'id'> & { readonly name: string | undefined }) {
  const { path } = useLocation()
  const [, , , here = ''] = path.split('/')
  return (
    <>
      <p class="crumb">
        <a href="/applications">Applications</a> / <bdi>{name ?? id}</bdi>
      </p>
      <nav class="tabs" aria-label="Application">
        {TABS.map(([part, text]) => (
          <a
            key={part}
            href={part === '' ? applicationPage(id) : applicationPage(id, part)}
            {...(part === here && { 'aria-current': 'page' as const })}
          >
            {text}
          </a>
        ))}
      </nav>
    </>
  )
}
