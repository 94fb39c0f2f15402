import type { Journey } from '../trial.ts'
import { BEGINNING } from './beginning.ts'
import { DAY } from './day.ts'
import { UPKEEP } from './upkeep.ts'

export const JOURNEYS: readonly Journey[] = [BEGINNING, DAY, UPKEEP]
