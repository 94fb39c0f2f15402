import type { TokenPurpose } from '../token-purpose.ts'

/** Open to anyone: the health check, signing in, and moves, which have their own secret. */
export const OPEN_ROUTES: readonly string[] = [
  'GET /healthz',
  'GET /api/session',
  'POST /api/session',
  'POST /api/session/code',
  'POST /api/link',
  'POST /api/link/look',
  'POST /api/arrival',
]

/**
 * The least token purpose for each route; other routes need `administer`. In the public API on behalf of an
 * application, POST sends and PUT changes the registry, but for that of a push.
 */
const ROUTE_PURPOSES: Readonly<Record<string, TokenPurpose>> = {
  ...Object.fromEntries(OPEN_ROUTES.map((route) => [route, 'read' as const])),

  'GET /readyz': 'read',
  'GET /metrics': 'read',
  'GET /pushes/:id': 'read',
  'GET /simulator/received': 'read',

  'DELETE /api/session': 'read',
  'DELETE /api/sessions': 'administer',
  'PUT /api/password': 'administer',
  'GET /api/second-factor': 'administer',
  'POST /api/second-factor': 'administer',
  'POST /api/second-factor/confirm': 'administer',
  'POST /api/second-factor/recovery-codes': 'administer',
  'DELETE /api/second-factor': 'administer',

  'GET /api/administrators': 'read',
  'POST /api/administrators': 'administer',
  'DELETE /api/administrators/:name': 'administer',
  'GET /api/tokens': 'read',
  'POST /api/tokens': 'administer',
  'DELETE /api/tokens/:name': 'administer',
  'GET /api/log': 'read',
  'GET /api/log/export': 'read',
  'GET /api/samples': 'read',

  'GET /api/overview': 'read',
  'GET /api/backups': 'read',
  'POST /api/backups': 'operate',
  'GET /api/service-log': 'read',
  // Each command has its own: see `command-purposes.ts`.
  'POST /api/command': 'read',

  'GET /api/applications': 'read',
  'GET /api/applications/:id': 'read',
  'GET /api/applications/:id/webhook': 'read',
  'GET /api/applications/:id/v1/*': 'read',
  'GET /api/applications/:id/pushes': 'read',
  'GET /api/applications/:id/devices': 'read',
  'GET /api/applications/:id/devices/search': 'read',
  'GET /api/applications/:id/devices/:device': 'read',
  'GET /api/applications/:id/users': 'read',
  'GET /api/applications/:id/users/:user': 'read',
  'POST /api/arrivals': 'administer',
  'POST /api/applications': 'operate',
  'PATCH /api/applications/:id': 'operate',
  'DELETE /api/applications/:id': 'operate',
  'POST /api/applications/:id/rotate-secret': 'operate',
  'POST /api/applications/:id/simulate': 'operate',
  'PUT /api/applications/:id/credentials/apns': 'operate',
  'PUT /api/applications/:id/credentials/fcm': 'operate',
  'PUT /api/applications/:id/credentials/webpush': 'operate',
  'DELETE /api/applications/:id/credentials/:provider': 'operate',
  'POST /api/applications/:id/credentials/:provider/test': 'operate',
  'PUT /api/applications/:id/webhook': 'operate',
  'DELETE /api/applications/:id/webhook': 'operate',
  'POST /api/applications/:id/webhook/retry': 'operate',
  'GET /api/applications/:id/hooks': 'read',
  'PUT /api/applications/:id/hooks/:hook': 'operate',
  'DELETE /api/applications/:id/hooks/:hook': 'operate',
  'POST /api/applications/:id/hooks/preview': 'read',
  'GET /api/webhooks': 'read',
  'GET /api/alerts': 'read',
  'POST /api/alerts/:alert/test': 'operate',

  'POST /api/applications/:id/v1/*': 'send',
  'PUT /api/applications/:id/v1/*': 'operate',
  'DELETE /api/applications/:id/v1/*': 'operate',
  'PUT /api/applications/:id/v1/push/:push/shown': 'send',
  'DELETE /api/applications/:id/v1/push/:push/shown': 'send',
  'GET /api/pushes/:id/live': 'read',
  'GET /api/pushes/:id/resend': 'read',
  'POST /api/pushes/:id/resend': 'send',
}

/** `route`: as declared, with its parameters. */
export function routePurpose(method: string, route: string): TokenPurpose {
  return ROUTE_PURPOSES[`${method} ${route}`] ?? 'administer'
}
