import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { call, readSession, session } from '../client/call.ts'
import { useCurrentInView } from './current-in-view.ts'

const LINKS = [
  ['/', 'Overview'],
  ['/applications', 'Applications'],
  ['/webhooks', 'Webhooks'],
  ['/backups', 'Backups'],
  ['/service-log', 'Service log'],
  ['/administrators', 'Administrators'],
  ['/log', 'Audit log'],
] as const

/** What is around each page. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const links = useCurrentInView(path)
  const isHere = (href: string): boolean => (href === '/' ? path === '/' : path.startsWith(href))
  const signOut = async (): Promise<void> => {
    await call('DELETE', '/api/session')
    await readSession()
  }
  return (
    <div class="layout">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href="/">
          Bellhop
        </a>
        <nav aria-label="Dashboard" ref={links}>
          {LINKS.map(([href, text]) => (
            <a key={href} href={href} {...(isHere(href) && { 'aria-current': 'page' as const })}>
              {text}
            </a>
          ))}
        </nav>
        <div class="who">
          <span>
            <bdi>{session.value?.administrator?.name}</bdi>
            <small>{session.value?.service?.version.split(' ')[0]}</small>
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              // Where the server is away the page says so, and one is still signed in.
              signOut().catch(() => {})
            }}
          >
            Sign out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
