import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import skill from './skill.md' with { type: 'text' }

export const run: RunCommand = async () => done(skill)
