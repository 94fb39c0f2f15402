import { applicationPage } from '../../client/paths.ts'

/** To the page where a push of an application is written; beside a page's title. `id`: the application's. */
export function SendLink({ id }: { readonly id: string }) {
  return (
    <a class="button primary" href={applicationPage(id, 'send')}>
      Send a push
    </a>
  )
}
