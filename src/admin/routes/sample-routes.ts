import { Elysia } from 'elysia'
import { findPage } from '../../manual/pages.ts'
import type { AdminParts } from './admin-parts.ts'
import { adminCall } from '../admin-endpoint.ts'
import { SamplesAnswer } from '../api-types/sample-types.ts'

/** The manual's code for each kind of app. */
export function sampleRoutes({ gate }: AdminParts) {
  return new Elysia({ name: 'sample-routes' }).use(gate).get(
    '/api/samples',
    (): SamplesAnswer => ({ samples: samplesIn(findPage('clients')?.text ?? '') }),
    adminCall(
      'Applications',
      'Code of apps that register; `https://push.example.com` and `app_…` are to be replaced in it',
      {
        answer: SamplesAnswer,
      },
    ),
  )
}

function samplesIn(page: string): SamplesAnswer['samples'] {
  return page
    .split(/^## /m)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      code: Array.from(section.matchAll(/^```\w+\n(.*?)\n```$/gms), ([, code = '']) => code),
    }))
    .filter(({ code }) => code.length > 0)
}
