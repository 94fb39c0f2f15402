import type { Journey, Trial } from '../trial.ts'
import { digestOf } from './state-digest.ts'

/** The second try runs on a sound disk. */
const TRIES = 2

export interface Scene extends Trial {
  /** Results of the earlier steps. */
  readonly notes: readonly string[]
  /** 0: the first try. */
  readonly tries: number
}

/** Uses files only: it leaves no process behind. */
export interface Step {
  readonly name: string
  /** Whether the disk is sound from here on. */
  readonly sound?: true
  /** The result, often empty, for later steps; `null`: failed, and tried again. */
  attempt(scene: Scene): Promise<string | null>
  /** Checks that must hold after a failed first try. */
  afterFailure?(scene: Scene): void
}

interface Chain {
  readonly name: string
  readonly what: string
  /** Texts in tables that differ in each run. */
  readonly drawn: RegExp
  readonly prepare: (directory: string) => void
  readonly steps: readonly Step[]
}

/**
 * A journey whose steps leave only files. With a memory, it starts at the step of its call from the stored files, and
 * ends when nothing fails any more and the files are those of a state from which another trial finished without a
 * finding.
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

      /** All passed states lead to a good end. */
      function learn(): void {
        if (findings.length === 0) memory?.add(passed)
      }

      /** Whether another trial has finished from here. */
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
