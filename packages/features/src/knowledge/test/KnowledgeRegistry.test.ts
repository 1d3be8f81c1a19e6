// How a request selects a knowledge base.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { Context, Effect, Layer } from "effect"
import * as Knowledge from "../KnowledgeBase.ts"
import { KnowledgeRegistry } from "../KnowledgeRegistry.ts"

const own = Ids.DatabaseId.make("main-db")
const other = DatabaseHandle.embedded({ id: "other-db", dataDir: "memory" })

const registryOf = (...all: ReadonlyArray<Knowledge.Knowledge>) =>
  Effect.map(
    Layer.build(KnowledgeRegistry.layer(own, all)),
    (context) => Context.get(context, KnowledgeRegistry)
  )

const messageOf = (registry: KnowledgeRegistry["Service"], choice: Parameters<typeof registry.choose>[0]) =>
  Effect.map(Effect.flip(registry.choose(choice)), ({ _tag, message }) => [_tag, message])

describe("KnowledgeRegistry", () => {
  it.effect("the id of a knowledge base is derived from its database, its table and its name", () =>
    Effect.gen(function*() {
      const registry = yield* registryOf(Knowledge.make({ name: "handbook" }), Knowledge.make())
      // the first 32 digits of the SHA-256 of "main-db:svc_knowledge:handbook"
      assert.deepStrictEqual(registry.all.map(({ id, name }) => [id, name]), [
        ["876b82d9-48fa-f183-36a2-5269e29fb402", "handbook"],
        ["2eb4baa3-daa3-30c1-85c7-c5eb85575631", "knowledge_main-db"]
      ])
    }))

  it.effect("a request without an id selects the only knowledge base", () =>
    Effect.gen(function*() {
      const registry = yield* registryOf(Knowledge.make({ name: "handbook" }))
      const [only] = registry.all
      assert.strictEqual(yield* registry.choose({}), only)
      assert.strictEqual(yield* registry.choose({ db_id: "main-db" }), only)
      assert.strictEqual(yield* registry.choose({ knowledge_id: only?.id, db_id: "ignored" }), only)
      assert.deepStrictEqual(yield* messageOf(registry, { knowledge_id: "x" }), [
        "KnowledgeNotFound",
        "Knowledge base 'x' not found"
      ])
      assert.deepStrictEqual(yield* messageOf(registry, { db_id: "x" }), [
        "KnowledgeNotFound",
        "Knowledge instance with db_id 'x' not found"
      ])
    }))

  it.effect("a request without an id is refused with the ids if there are several, or none", () =>
    Effect.gen(function*() {
      const registry = yield* registryOf(
        Knowledge.make({ name: "a" }),
        Knowledge.make({ name: "b" }),
        Knowledge.make({ name: "a", db: other })
      )
      const [first, second, third] = registry.all.map(({ id }) => id)
      assert.deepStrictEqual(yield* messageOf(registry, {}), [
        "KnowledgeNotChosen",
        "db_id or knowledge_id query parameter is required when using multiple knowledge bases. " +
        `Available IDs: ['${first}', '${second}', '${third}']`
      ])
      assert.deepStrictEqual(yield* messageOf(registry, { db_id: "main-db" }), [
        "KnowledgeNotChosen",
        "Multiple knowledge instances found for db_id 'main-db'. Please specify knowledge_id parameter. " +
        `Available IDs: ['${first}', '${second}']`
      ])
      assert.strictEqual((yield* registry.choose({ db_id: "other-db" })).id, third)
      assert.deepStrictEqual(yield* messageOf(yield* registryOf(), {}), [
        "KnowledgeNotChosen",
        "db_id or knowledge_id query parameter is required when using multiple knowledge bases. Available IDs: []"
      ])
    }))

  it.effect("two knowledge bases with one name and one database stop the start, and one that is used twice does not", () =>
    Effect.gen(function*() {
      const handbook = Knowledge.make({ name: "handbook" })
      assert.strictEqual((yield* registryOf(handbook, handbook)).all.length, 1)
      const { message } = yield* Effect.flip(registryOf(handbook, Knowledge.make({ name: "handbook" })))
      assert.strictEqual(
        message,
        "Two knowledge bases of the database 'main-db' are called 'handbook'. Give each a name of its own, or use one " +
          "for both."
      )
    }))
})
