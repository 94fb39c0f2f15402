import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from '../../settings/table.ts'
import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

/** All of them, so that it takes the command line of `serve` as it stands. */
const settingFlags = SETTING_NAMES.filter((name) => name !== 'data').map((name): FlagSpec => {
  const { flag, placeholder } = SETTINGS[name].type
  const doc = `as serve has it (${variableOf(name)})`
  if (flag === 'list') return { name: flagOf(name), placeholder, doc, list: true }
  return { name: flagOf(name), placeholder: flag === 'switch' ? null : placeholder, doc }
})

/** Whether everything is as it must be. */
export const DOCTOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'doctor',
    words: ['[APP]'],
    summary: 'look at everything that serve needs, and say what to change; it changes nothing',
    flags: [
      jsonFlag,
      { name: 'offline', placeholder: null, doc: 'ask neither Apple nor Google' },
      {
        name: 'full',
        placeholder: null,
        doc: 'also look into the indexes of the database, which takes ten times as long',
      },
      dataFlag,
      ...settingFlags,
    ],
    example: 'bellhop doctor "Corner Shop"',
  },
]
