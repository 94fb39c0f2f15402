import { Elysia } from 'elysia'
import { PAGES } from '../../manual/pages.ts'
import type { AdminParts } from './admin-parts.ts'
import { adminCall } from '../admin-endpoint.ts'
import { SamplesAnswer } from '../api-types/sample-types.ts'

/** A page such as "iOS app" has an app's code, a block per file. */
const APP_PAGE = / app$/

const SAMPLES: SamplesAnswer['samples'] = PAGES.filter(({ title }) => APP_PAGE.test(title)).map(
  ({ topic, title, text }) => ({
    title: title.replace(APP_PAGE, ''),
    page: topic,
    code: Array.from(text.matchAll(/^```\w+\n(.*?)\n```$/gms), ([, code = '']) => code),
  }),
)

export function sampleRoutes({ gate }: AdminParts) {
  return new Elysia({ name: 'sample-routes' }).use(gate).get(
    '/api/samples',
    (): SamplesAnswer => ({ samples: SAMPLES }),
    adminCall('Applications', 'Sample code for apps; replace `https://push.example.com` and `app_…`', {
      answer: SamplesAnswer,
    }),
  )
}
