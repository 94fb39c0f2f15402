import type { ComponentType } from 'preact'
import { AdministratorsPage } from './pages/administrators-page.tsx'
import { AlertsPage } from './pages/alerts-page.tsx'
import { ApplicationPage } from './pages/application-page.tsx'
import { ApplicationsPage } from './pages/applications-page.tsx'
import { BackupsPage } from './pages/backups-page.tsx'
import { ComponentsPage } from './pages/components-page.tsx'
import { CredentialsPage } from './pages/credentials-page.tsx'
import { DevicePage } from './pages/device-page.tsx'
import { DevicesPage } from './pages/devices-page.tsx'
import { FirstPushPage } from './pages/first-push-page.tsx'
import { HooksPage } from './pages/hooks-page.tsx'
import { LogPage } from './pages/log-page.tsx'
import { OverviewPage } from './pages/overview-page.tsx'
import { PhonesPage } from './pages/phones-page.tsx'
import { PushPage } from './pages/push-page.tsx'
import { PushesPage } from './pages/pushes-page.tsx'
import { SendPage } from './pages/send-page.tsx'
import { ServiceLogPage } from './pages/service-log-page.tsx'
import { SetupPage } from './pages/setup-page.tsx'
import { UserPage } from './pages/user-page.tsx'
import { UsersPage } from './pages/users-page.tsx'
import { WebhooksPage } from './pages/webhooks-page.tsx'
import { WelcomePage } from './pages/welcome-page.tsx'

export interface PageEntry {
  /** For the router of preact-iso. `:id` is the application's. */
  readonly path: string
  /** For the heading, the document title and the menu. */
  readonly title: string
  readonly component: ComponentType
  /** The menu beside every page, or the tabs of an application. Default: neither. */
  readonly menu?: 'service' | 'application'
  /** Shown without signing in, and without a menu. Default false. */
  readonly isOpen?: boolean
}

/** Set by the bundler: `false` in a release, which leaves out development pages. */
declare const IS_DEVELOPMENT: boolean

/** Also the order of the menus. */
export const PAGES: readonly PageEntry[] = [
  { path: '/setup', title: 'Welcome', component: SetupPage, isOpen: true },
  { path: '/', title: 'Overview', component: OverviewPage, menu: 'service' },
  { path: '/welcome', title: 'Your first push', component: WelcomePage },
  { path: '/welcome/:id', title: 'Your first push', component: FirstPushPage },
  { path: '/applications', title: 'Applications', component: ApplicationsPage, menu: 'service' },
  { path: '/applications/:id', title: 'Application', component: ApplicationPage, menu: 'application' },
  { path: '/applications/:id/send', title: 'Send', component: SendPage, menu: 'application' },
  { path: '/applications/:id/pushes', title: 'Pushes', component: PushesPage, menu: 'application' },
  { path: '/applications/:id/pushes/:push', title: 'Push', component: PushPage },
  { path: '/applications/:id/devices', title: 'Devices', component: DevicesPage, menu: 'application' },
  { path: '/applications/:id/devices/:device', title: 'Device', component: DevicePage },
  { path: '/applications/:id/users', title: 'Users', component: UsersPage, menu: 'application' },
  { path: '/applications/:id/users/:user', title: 'User', component: UserPage },
  { path: '/applications/:id/phones', title: 'Phones', component: PhonesPage },
  { path: '/applications/:id/credentials', title: 'Credentials', component: CredentialsPage, menu: 'application' },
  { path: '/applications/:id/hooks', title: 'Hooks', component: HooksPage, menu: 'application' },
  { path: '/webhooks', title: 'Webhooks', component: WebhooksPage, menu: 'service' },
  { path: '/alerts', title: 'Alerts', component: AlertsPage, menu: 'service' },
  { path: '/backups', title: 'Backups', component: BackupsPage, menu: 'service' },
  { path: '/service-log', title: 'Service log', component: ServiceLogPage, menu: 'service' },
  { path: '/administrators', title: 'Administrators', component: AdministratorsPage, menu: 'service' },
  { path: '/log', title: 'Audit log', component: LogPage, menu: 'service' },
  ...(IS_DEVELOPMENT ? [{ path: '/components', title: 'Components', component: ComponentsPage }] : []),
]
