// The endpoints of knowledge on an open service.
import { assert, describe, it } from "@effect/vitest"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import { Effect } from "effect"
import { at, get, notFound, serve } from "../Wire.ts"

const handbook = Knowledge.make({ name: "handbook", description: "How we work" })
const id = "876b82d9-48fa-f183-36a2-5269e29fb402"

describe("knowledge in discovery", () => {
  it.effect("the config names each knowledge base with its database and its table", () =>
    Effect.gen(function*() {
      const server = yield* serve({ knowledge: [handbook] })
      assert.deepStrictEqual(at((yield* get(server, "/config")).json, "knowledge"), {
        dbs: [{ db_id: "main-db", domain_config: { display_name: "main-db" }, tables: ["svc_knowledge"] }],
        knowledge_instances: [
          { id, name: "handbook", description: "How we work", db_id: "main-db", table: "svc_knowledge" }
        ]
      })
    }))
})

describe("sources of contents", () => {
  it.effect("a knowledge base without sources has an empty list of them, and no files", () =>
    Effect.gen(function*() {
      const server = yield* serve({ knowledge: [handbook] })
      const sources = yield* get(server, `/knowledge/${id}/sources`)
      assert.deepStrictEqual([sources.status, sources.text], [200, "[]"])
      notFound(yield* get(server, `/knowledge/${id}/sources/wiki/files`), "Content source not found: wiki")
      notFound(yield* get(server, "/knowledge/none/sources"), "Knowledge base 'none' not found")
      notFound(yield* get(server, "/knowledge/none/sources/wiki/files"), "Knowledge base 'none' not found")
    }))
})
