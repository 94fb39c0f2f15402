import { Elysia } from 'elysia'
import type { ApplicationDirectory } from '../../application/application-directory.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import { failure, Refused } from '../../failure.ts'
import { fixedContent } from '../../http/fixed-content.ts'
import style from './browser/page.css' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import page from './browser/page.js' with { type: 'text' }
import { CLIENT, script, WORKER } from './browser-scripts.ts'
import { manifestOf, PAGE_HEADERS, pageOf } from './browser-page.ts'

interface Dependencies {
  readonly directory: Pick<ApplicationDirectory, 'byId' | 'refresh'>
  readonly credentials: Pick<CredentialStore, 'summaries'>
}

const HTML = 'text/html; charset=utf-8'

/**
 * Below /webpush: a page on which a browser registers with an application and shows what arrives, and the two scripts
 * with which one's own site does the same. Open to everybody, as the application's id and its public key are.
 */
export function browserRoutes({ directory, credentials }: Dependencies) {
  /** Throws where the application cannot send to browsers, or is none. */
  function publicKeyOf(id: string): string {
    // A command may just have made it.
    directory.refresh()
    const application = directory.byId(id)
    if (application === null) throw notFound('There is no such application.')
    const summary = credentials.summaries(application).find(({ provider }) => provider === 'webpush')
    if (summary?.provider !== 'webpush') {
      throw notFound('The application has no key for web push: the dashboard makes one, or bellhop app webpush.')
    }
    return summary.publicKey
  }

  const hidden = { detail: { hide: true } }
  return new Elysia({ name: 'browser-routes' })
    .get('/webpush/client.js', CLIENT, hidden)
    .get('/webpush/worker.js', WORKER, hidden)
    .get('/webpush/page.js', script(page), hidden)
    .get(
      '/webpush/page.css',
      fixedContent(() => new Blob([style]), { type: 'text/css; charset=utf-8' }),
      hidden,
    )
    .get('/webpush/:app/key', ({ params }) => ({ publicKey: publicKeyOf(params.app) }), hidden)
    .get('/webpush/:app/manifest.json', ({ params }) => manifestOf(known(params.app)), hidden)
    .get(
      '/webpush/:app',
      ({ params }) => new Response(pageOf(known(params.app)), { headers: { ...PAGE_HEADERS, 'content-type': HTML } }),
      hidden,
    )

  function known(id: string): string {
    publicKeyOf(id)
    return id
  }
}

function notFound(why: string): Refused {
  return new Refused(failure('ResourceNotFound', why))
}
