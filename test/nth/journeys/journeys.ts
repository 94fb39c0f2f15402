import type { Journey } from '../trial.ts'
import { BEGINNING } from './beginning.ts'
import { DYING, STOPPING } from './ending.ts'
import { OPERATING } from './operating.ts'
import { SENDING } from './sending.ts'
import { UPKEEP } from './upkeep.ts'

export const JOURNEYS: readonly Journey[] = [BEGINNING, SENDING, OPERATING, STOPPING, DYING, UPKEEP]
