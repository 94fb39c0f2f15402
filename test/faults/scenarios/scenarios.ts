import { ANSWER_SCENARIOS } from './answer-scenarios.ts'
import { APPLICATION_SCENARIOS } from './application-scenarios.ts'
import { CLOCK_SCENARIOS } from './clock-scenarios.ts'
import { CONNECTION_SCENARIOS } from './connection-scenarios.ts'
import { DEVICE_SCENARIOS } from './device-scenarios.ts'
import { DISK_SCENARIOS } from './disk-scenarios.ts'
import { GATEWAY_SCENARIOS } from './gateway-scenarios.ts'
import { PROCESS_SCENARIOS } from './process-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { PUSH_SERVICE_SCENARIOS } from './push-service-scenarios.ts'
import { TOKEN_SCENARIOS } from './token-scenarios.ts'
import { WEBHOOK_SCENARIOS } from './webhook-scenarios.ts'

/** In the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...PROCESS_SCENARIOS,
  ...DISK_SCENARIOS,
  ...CLOCK_SCENARIOS,
  ...DEVICE_SCENARIOS,
  ...TOKEN_SCENARIOS,
  ...APPLICATION_SCENARIOS,
  ...CONNECTION_SCENARIOS,
  ...WEBHOOK_SCENARIOS,
  ...GATEWAY_SCENARIOS,
  ...ANSWER_SCENARIOS,
  ...PUSH_SERVICE_SCENARIOS,
]
