import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { ApplicationContext } from '../client/application.ts'
import { call, readSession, session } from '../client/call.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { PAGES } from '../pages.tsx'
import type { PageEntry } from '../pages.tsx'
import { Failed } from './loaded.tsx'
import { Page } from './page.tsx'

const here = (isHere: boolean) => (isHere ? { 'aria-current': 'page' as const } : {})

const menu = (of: PageEntry['menu']) => PAGES.filter((page) => page.menu === of)

export function Layout({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  /** Wide windows always show the menu. */
  const isOpen = useSignal(false)
  const signOut = async (): Promise<void> => {
    await call('DELETE', '/api/session')
    await readSession()
  }
  useEffect(() => {
    isOpen.value = false
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
        <button
          type="button"
          class="quiet opener"
          aria-expanded={isOpen.value}
          aria-controls="menu"
          onClick={() => (isOpen.value = !isOpen.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') isOpen.value = false
          }}
        >
          Menu
        </button>
        <div id="menu" class={isOpen.value ? 'menu open' : 'menu'}>
          <nav aria-label="Dashboard">
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
            {/* If the server is away, the banner says so. */}
            <button type="button" class="quiet" onClick={() => void signOut().catch(() => {})}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** The tabs of an application and its record, or the reason why it could not be loaded. */
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
      {application.value === null && application.problem !== null ? (
        <Page title="Application">
          <Failed problem={application.problem} onRetry={application.reload} />
        </Page>
      ) : (
        children
      )}
    </ApplicationContext.Provider>
  )
}
