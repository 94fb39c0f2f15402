import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { comebacks, isAway, readSession, session } from './client/call.ts'
import { Layout } from './components/layout.tsx'
import { Page } from './components/page.tsx'
import { AdministratorsPage } from './pages/administrators-page.tsx'
import { ApplicationPage } from './pages/application-page.tsx'
import { ApplicationsPage } from './pages/applications-page.tsx'
import { BackupsPage } from './pages/backups-page.tsx'
import { CredentialsPage } from './pages/credentials-page.tsx'
import { DevicePage } from './pages/device-page.tsx'
import { DevicesPage } from './pages/devices-page.tsx'
import { LogPage } from './pages/log-page.tsx'
import { OverviewPage } from './pages/overview-page.tsx'
import { PhonesPage } from './pages/phones-page.tsx'
import { PushPage } from './pages/push-page.tsx'
import { PushesPage } from './pages/pushes-page.tsx'
import { SendPage } from './pages/send-page.tsx'
import { FirstPushPage } from './pages/first-push-page.tsx'
import { ServiceLogPage } from './pages/service-log-page.tsx'
import { SetupPage } from './pages/setup-page.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import { WebhooksPage } from './pages/webhooks-page.tsx'
import { WelcomePage } from './pages/welcome-page.tsx'

/** The whole of it: who is not signed in sees the sign-in in place of whatever page is asked for. */
export function App() {
  return (
    <LocationProvider>
      <ErrorBoundary>
        <Views />
      </ErrorBoundary>
    </LocationProvider>
  )
}

function Views() {
  const { path } = useLocation()
  useEffect(() => {
    // Where the server is away, it is asked again when it comes back.
    readSession().catch(() => {})
  }, [comebacks.value])
  const now = session.value
  if (now === null) return isAway.value ? <AwayBanner /> : null
  return (
    <>
      {isAway.value && <AwayBanner />}
      {path === '/setup' ? (
        <SetupPage />
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

function Pages() {
  const { path } = useLocation()
  if (!isReadable(path)) return <NotFoundPage />
  return (
    <Router>
      <Route path="/" component={OverviewPage} />
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/welcome/:id" component={FirstPushPage} />
      <Route path="/applications" component={ApplicationsPage} />
      <Route path="/applications/:id" component={ApplicationPage} />
      <Route path="/applications/:id/send" component={SendPage} />
      <Route path="/applications/:id/pushes" component={PushesPage} />
      <Route path="/applications/:id/pushes/:push" component={PushPage} />
      <Route path="/applications/:id/devices" component={DevicesPage} />
      <Route path="/applications/:id/devices/:device" component={DevicePage} />
      <Route path="/applications/:id/phones" component={PhonesPage} />
      <Route path="/applications/:id/credentials" component={CredentialsPage} />
      <Route path="/webhooks" component={WebhooksPage} />
      <Route path="/backups" component={BackupsPage} />
      <Route path="/service-log" component={ServiceLogPage} />
      <Route path="/administrators" component={AdministratorsPage} />
      <Route path="/log" component={LogPage} />
      <Route default component={NotFoundPage} />
    </Router>
  )
}

/** Whether each `%` stands for a character; else the router throws. */
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
    <Page title="There is no such page" lead="The link is wrong, or of another version.">
      <p>
        <a href="/">Overview</a>
      </p>
    </Page>
  )
}

function AwayBanner() {
  return (
    <p class="away" role="status">
      The server went away; trying again …
    </p>
  )
}

/** What a page could not show, it says, and the rest stays. */
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
        <p>It is a mistake of ours: {error instanceof Error ? error.message : 'it says nothing of itself'}</p>
        <p>
          <a href="/" target="_top" rel="external">
            Load it again
          </a>
        </p>
      </main>
    )
  }
}
