import type { Journey, Trial } from '../trial.ts'
import { digestOf } from './state-digest.ts'

/** How often a step is tried: the second time nothing is wrong with the disk. */
const TRIES = 2

/** What a step knows besides the files. */
export interface Scene extends Trial {
  /** What the steps before have told, in their order. */
  readonly notes: readonly string[]
  /** 0: it is tried for the first time. */
  readonly tries: number
}

/** Something that is done with the files alone: no process is left when it is over. */
export interface Step {
  readonly name: string
  /** Whether nothing fails any more from its beginning on, whatever was to be. */
  readonly sound?: true
  /** What those to come have to know, often nothing; `null`: it did not do it, and is tried again. */
  attempt(scene: Scene): Promise<string | null>
  /** When it did not do it for the first time: what must be true all the same. */
  afterFailure?(scene: Scene): void
}

interface Chain {
  readonly name: string
  readonly what: string
  /** Texts in tables that are others in each run. */
  readonly drawn: RegExp
  /** Puts into `directory` what it begins with. */
  readonly prepare: (directory: string) => void
  readonly steps: readonly Step[]
}

/**
 * A journey in steps between which only files are left. Where the trial has a memory, the journey begins at the step in
 * which its call is, from the files of the journey without a fault; and it ends as soon as nothing fails any more and the
 * files are those from which another trial went on to its end without a finding.
 */
export function chainOf({ name, what, drawn, prepare, steps }: Chain): Journey {
  return {
    name,
    what,
    async run(trial) {
      const { directory, plan, memory, from, accuse, findings } = trial
      const notes = [...(from?.notes ?? [])]
      const passed: string[] = []
      if (memory === null || from === null) prepare(directory)
      else memory.restore(from, directory)
      plan.arm()
      for (const [at, step] of steps.entries()) {
        if (at < (from?.step ?? 0)) continue
        if (step.sound) plan.disarm()
        if (plan.isFree) memory?.keep({ step: at, before: plan.met().of, notes: [...notes] }, directory)
        for (let tries = 0; ; tries++) {
          if (isKnown(at)) return learn()
          const scene = { ...trial, notes, tries }
          const note = await step.attempt(scene)
          if (note !== null) {
            notes.push(note)
            break
          }
          if (tries + 1 === TRIES) return accuse(`${step.name}: not done the second time`)
          if (plan.met().struck === null) accuse(`${step.name}: not done, and nothing had failed`)
          plan.disarm()
          step.afterFailure?.(scene)
        }
      }
      learn()

      /** From where it has been, too, one comes to a good end. */
      function learn(): void {
        if (findings.length === 0) memory?.add(passed)
      }

      /** Whether another trial has gone on from here. */
      function isKnown(step: number): boolean {
        if (memory === null || !(plan.isFree || plan.isOver())) return false
        const digest = digestOf(directory, drawn)
        if (digest === null) return false
        const state = `${step} ${digest}`
        if (memory.isGood(state)) return true
        passed.push(state)
        return false
      }
    },
  }
}
