import { Component, render } from 'preact'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { comebacks, isAway, readSession, session } from './client/call.ts'
import { ApplicationArea, Layout } from './components/layout.tsx'
import { Page, PageTitle } from './components/page.tsx'
import { PAGES } from './pages.tsx'
import type { PageEntry } from './pages.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import './style.css'

function App() {
  return (
    <LocationProvider>
      <ErrorBoundary>
        <Views />
      </ErrorBoundary>
    </LocationProvider>
  )
}

/** Without a session, the sign-in page replaces any page. */
function Views() {
  const { path } = useLocation()
  useEffect(() => {
    // Runs again when the server is back.
    readSession().catch(() => {})
  }, [comebacks.value])
  const now = session.value
  if (now === null) return isAway.value ? <AwayBanner /> : null
  const isOpen = PAGES.some((page) => page.isOpen && page.path === path)
  return (
    <>
      {isAway.value && <AwayBanner />}
      {isOpen ? (
        <Pages />
      ) : now.administrator === null ? (
        <SignInPage isSetUp={now.isSetUp} />
      ) : (
        <Layout>
          <Pages />
        </Layout>
      )}
    </>
  )
}

/** One component per page, so that the router remounts between pages. */
const ROUTES = PAGES.map((page) => ({ path: page.path, component: () => <Shown {...page} /> }))

function Pages() {
  const { path } = useLocation()
  if (!isReadable(path)) return <NotFoundPage />
  return (
    <Router>
      {ROUTES.map((route) => (
        <Route key={route.path} {...route} />
      ))}
      <Route default component={NotFoundPage} />
    </Router>
  )
}

function Shown({ path, title, component: Content }: PageEntry) {
  return (
    <PageTitle.Provider value={title}>
      {path.startsWith('/applications/:id') ? (
        <ApplicationArea>
          <Content />
        </ApplicationArea>
      ) : (
        <Content />
      )}
    </PageTitle.Provider>
  )
}

/** The router throws on a malformed `%`. */
function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function NotFoundPage() {
  return (
    <Page title="Page not found" lead="The link is wrong, or from another version.">
      <p>
        <a href="/">Overview</a>
      </p>
    </Page>
  )
}

function AwayBanner() {
  return (
    <p class="away" role="status">
      The server doesn’t answer. Trying again…
    </p>
  )
}

class ErrorBoundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: null as unknown }

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <main class="alone">
        <h1>This page broke</h1>
        <p>This is a bug in Bellhop: {error instanceof Error ? error.message : 'no message'}</p>
        <p>
          <a href="/" target="_top" rel="external">
            Reload
          </a>
        </p>
      </main>
    )
  }
}

const place = document.querySelector('#app')
if (place !== null) render(<App />, place)
