// The option `skills` of agents and teams.
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate } from "effect"
import * as Skill from "./Skill.ts"
import type { Skill as OfCode } from "./Skills.ts"

export interface AgentSkills {
  /** Those of the code, by their names. */
  readonly own: ReadonlyMap<string, OfCode>
  /** The names of stored ones. */
  readonly stored: ReadonlyArray<Skill.Name>
}

export type SkillRef = OfCode | string

const isOfCode = (value: unknown): value is OfCode => Predicate.isTagged(value, "Skill")

/** Undefined: the agent has none. */
export const make = (owner: string, given: ReadonlyArray<SkillRef> = []): AgentSkills | undefined => {
  if (given.length === 0) return undefined
  if (given.length > Skill.maxOfAgent) {
    throw new Mistake(`${owner} has ${given.length} skills: at most ${Skill.maxOfAgent}`)
  }
  const own = new Map<string, OfCode>()
  const stored: Array<Skill.Name> = []
  const names = new Set<string>()
  for (const [index, skill] of given.entries()) {
    if (!isOfCode(skill) && !Predicate.isString(skill)) {
      const hint = Array.isArray(skill) ? "Write ... before it" : "Make it with Skills.make or Skills.fromFolder"
      throw mismatch(`${owner}: skills[${index}]`, "a skill, or the name of a stored one", skill, hint)
    }
    const name = Predicate.isString(skill) ? skill : skill.name
    if (!Skill.nameRule.test(name) || name.length > 64) {
      throw new Mistake(`${owner}: skills[${index}] is '${name.slice(0, 80)}', which cannot be the name of a skill`)
    }
    if (names.has(name)) throw new Mistake(`${owner} has two skills called '${name}'`)
    names.add(name)
    if (Predicate.isString(skill)) stored.push(Skill.Name.make(skill))
    else own.set(name, skill)
  }
  return { own, stored }
}
