import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { ApplicationContext } from '../client/application.ts'
import { call, readSession, session } from '../client/call.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { PAGES } from '../pages.tsx'
import type { PageEntry } from '../pages.tsx'

const here = (isHere: boolean) => (isHere ? { 'aria-current': 'page' as const } : {})

const menu = (of: PageEntry['menu']) => PAGES.filter((page) => page.menu === of)

export function Layout({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const links = useRef<HTMLElement>(null)
  const signOut = async (): Promise<void> => {
    await call('DELETE', '/api/session')
    await readSession()
  }
  useEffect(() => {
    // In a narrow window the links scroll sideways. `scrollIntoView` would move the page too.
    const current = links.current?.querySelector('[aria-current]')?.getBoundingClientRect()
    if (links.current === null || current === undefined) return
    const { left, right } = links.current.getBoundingClientRect()
    links.current.scrollLeft += Math.min(0, current.left - left) + Math.max(0, current.right - right)
  }, [path])
  return (
    <div class="layout">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="/">
          Bellhop
        </a>
        <nav aria-label="Dashboard" ref={links}>
          {menu('service').map((page) => (
            <a
              key={page.path}
              href={page.path}
              {...here(page.path === '/' ? path === '/' : path.startsWith(page.path))}
            >
              {page.title}
            </a>
          ))}
        </nav>
        <div class="who">
          <span>
            <bdi>{session.value?.administrator?.name}</bdi>
            <small>{session.value?.service?.version.split(' ')[0]}</small>
          </span>
          {/* Where the server is away, the banner says so, and the session stays. */}
          <button type="button" class="quiet" onClick={() => void signOut().catch(() => {})}>
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

/** Around the pages of one application: its tabs, and its record for the page. */
export function ApplicationArea({ children }: { readonly children: ComponentChildren }) {
  const id = useRoute().params['id'] ?? ''
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const [, , , part] = useLocation().path.split('/')
  return (
    <ApplicationContext.Provider value={{ id, ...application }}>
      <p class="crumb">
        <a href="/applications">Applications</a> / <bdi>{application.value?.name ?? id}</bdi>
      </p>
      <nav class="tabs" aria-label="Application">
        {menu('application').map(({ path, title }) => {
          const [, , , own] = path.split('/')
          return (
            <a
              key={path}
              href={own === undefined ? applicationPage(id) : applicationPage(id, own)}
              {...here(own === part)}
            >
              {title}
            </a>
          )
        })}
      </nav>
      {children}
    </ApplicationContext.Provider>
  )
}
