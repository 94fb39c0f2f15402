import { optionInputs } from '../../notification/options.ts' with { type: 'macro' }

/** Read when the dashboard is bundled: what renders the options stays out of what a browser loads. */
export const OPTION_INPUTS = optionInputs()
