import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'

declare const BELLHOP_LICENSES: string | undefined

const FROM_SOURCE = `Bellhop is under the MIT licence: see LICENSE.
This one runs from source, with its packages in node_modules, each beside its licence. The compiled bellhop has those of
everything inside it in this place.
`

export const run: RunCommand = async () => done(typeof BELLHOP_LICENSES === 'string' ? BELLHOP_LICENSES : FROM_SOURCE)
