// What every `SkillStore` has to do.
import { assert, layer } from "@effect/vitest"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Skill from "../Skill.ts"
import { type NewVersion, SkillStore } from "../SkillStore.ts"

export const nameOf = () => Skill.Name.make(newId("skill").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, 64))

export const newVersion = (fields: Partial<Skill.Content> = {}, created_at = 1_000): NewVersion => ({
  created_at,
  created_by: "ann",
  skill: {
    name: nameOf(),
    description: "How to pay an order back",
    license: "MIT",
    compatibility: null,
    allowed_tools: ["refund"],
    metadata: { author: "ann" },
    instructions: "Ask for the number first.",
    files: [{ path: "reasons.md", content: "Late" }],
    ...fields
  }
})

export const suite = <E>(name: string, stores: Layer.Layer<SkillStore, E>) =>
  layer(stores, { excludeTestServices: true })(`SkillStore, ${name}`, (it) => {
    it.effect("a skill is found by its name, and is created once", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const given = newVersion()
        const stored = { ...given.skill, version: 1, created_at: 1_000, created_by: "ann" }
        assert.deepStrictEqual(yield* store.create(given), Option.some(stored))
        assert.deepStrictEqual(yield* store.find(given.skill.name, undefined), Option.some(stored))
        assert.deepStrictEqual(yield* store.find(given.skill.name, 1), Option.some(stored))
        assert.isTrue(Option.isNone(yield* store.find(given.skill.name, 2)))
        assert.isTrue(Option.isNone(yield* store.create(newVersion({ name: given.skill.name }))))
        assert.isTrue(Option.isNone(yield* store.find(nameOf(), undefined)))
      }))

    it.effect("the next version is the latest one, and the earlier one stays", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const { skill } = newVersion()
        yield* store.create(newVersion(skill))
        const next = Option.getOrThrow(yield* store.addVersion(newVersion({ ...skill, description: "New" }, 2_000)))
        assert.strictEqual(next.version, 2)
        assert.strictEqual(Option.getOrThrow(yield* store.find(skill.name, undefined)).description, "New")
        assert.strictEqual(Option.getOrThrow(yield* store.find(skill.name, 1)).description, skill.description)
        assert.deepStrictEqual((yield* store.versions(skill.name)).map(({ version }) => version), [2, 1])
        assert.deepStrictEqual((yield* store.about([skill.name, nameOf()])).map(({ version }) => version), [2])
        assert.isTrue(Option.isNone(yield* store.addVersion(newVersion())))
      }))

    it.effect("the latest versions are kept, and no others", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const { skill } = newVersion()
        yield* store.create(newVersion(skill))
        for (let count = 0; count <= Skill.maxVersions; count++) yield* store.addVersion(newVersion(skill))
        const versions = (yield* store.versions(skill.name)).map(({ version }) => version)
        assert.strictEqual(versions.length, Skill.maxVersions)
        assert.strictEqual(versions[0], Skill.maxVersions + 2)
      }))

    it.effect("versions that are stored at the same time have different numbers, and one is the latest", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const { skill } = newVersion()
        yield* store.create(newVersion(skill))
        const all = yield* Effect.all(
          Array.from({ length: 5 }, () => store.addVersion(newVersion(skill))),
          { concurrency: "unbounded" }
        )
        const stored = all.flatMap(Option.toArray).map(({ version }) => version)
        assert.isAbove(stored.length, 0)
        assert.strictEqual(new Set(stored).size, stored.length)
        const latest = Option.getOrThrow(yield* store.find(skill.name, undefined))
        assert.strictEqual(latest.version, Math.max(...stored))
        assert.strictEqual((yield* store.about([skill.name])).length, 1)
      }))

    it.effect("skills are listed by their names with their number, and removed with all versions", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const { skill } = newVersion()
        const before = yield* store.list({ page: 1, limit: 1 })
        yield* store.create(newVersion(skill))
        yield* store.addVersion(newVersion(skill))
        const after = yield* store.list({ page: 1, limit: 100 })
        assert.strictEqual(after.total, before.total + 1)
        assert.deepStrictEqual(after.skills.map(({ name }) => name), after.skills.map(({ name }) => name).toSorted())
        assert.isTrue(yield* store.remove(skill.name))
        assert.isFalse(yield* store.remove(skill.name))
        assert.deepStrictEqual(yield* store.versions(skill.name), [])
      }))

    it.effect("U+0000 in a text is replaced", () =>
      Effect.gen(function*() {
        const store = yield* SkillStore
        const given = newVersion({ instructions: "a\0b" })
        yield* store.create(given)
        const found = Option.getOrThrow(yield* store.find(given.skill.name, undefined))
        assert.strictEqual(found.instructions, "a\ufffdb")
      }))
  })
