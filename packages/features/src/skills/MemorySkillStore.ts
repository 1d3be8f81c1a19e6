// `SkillStore` in memory, for services of tests.
import * as Pagination from "@svc-runtime/domain/Pagination"
import { storableText } from "@svc-runtime/domain/storableText"
import { Effect, Layer, Option } from "effect"
import * as Skill from "./Skill.ts"
import { type NewVersion, SkillStore } from "./SkillStore.ts"

const listed = ({ files: _, instructions: __, ...skill }: Skill.Stored): Skill.Listed => skill

export const layer: Layer.Layer<SkillStore> = Layer.sync(SkillStore, () => {
  /** Newest first. */
  const skills = new Map<string, ReadonlyArray<Skill.Stored>>()
  const put = ({ created_at, created_by, skill }: NewVersion) => {
    const before = skills.get(skill.name) ?? []
    const stored: Skill.Stored = {
      ...skill,
      instructions: storableText(skill.instructions),
      version: (before[0]?.version ?? 0) + 1,
      created_at,
      created_by
    }
    skills.set(skill.name, [stored, ...before].slice(0, Skill.maxVersions))
    return stored
  }
  const latest = (name: string) => Option.fromUndefinedOr(skills.get(name)?.[0])
  return SkillStore.of({
    create: (given) =>
      Effect.sync(() =>
        skills.has(given.skill.name) || skills.size >= Skill.maxStored ? Option.none() : Option.some(put(given))
      ),
    addVersion: (given) => Effect.sync(() => skills.has(given.skill.name) ? Option.some(put(given)) : Option.none()),
    about: (names) => Effect.sync(() => names.toSorted().flatMap((name) => Option.toArray(latest(name))).map(listed)),
    find: (name, version) =>
      Effect.sync(() =>
        version === undefined
          ? latest(name)
          : Option.fromUndefinedOr(skills.get(name)?.find((each) => each.version === version))
      ),
    list: (page) =>
      Effect.sync(() => {
        const all = [...skills.keys()].toSorted().flatMap((name) => Option.toArray(latest(name))).map(listed)
        return { skills: Pagination.slice(page, all), total: all.length }
      }),
    versions: (name) => Effect.sync(() => (skills.get(name) ?? []).map(listed)),
    remove: (name) => Effect.sync(() => skills.delete(name))
  })
})
