// The store of prompts, for the tests that call all stores.
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PromptStore } from "../PromptStore.ts"
import { newPrompt } from "./PromptStoreSuite.ts"

export const stores: CheckedStores = {
  history: { prompts: ["tables"] },
  tables: ["svc_prompts"],
  fill: Effect.fnUntraced(function*(rows) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into svc_prompts (name, version, latest, prompt_id, text, created_at)
      select 'prompt-' || number, 1, true, 'id', 'text', 1 from generate_series(1, ${rows}::int) as number`
  }),
  calls: Effect.map(PromptStore, (prompts) => {
    const given = newPrompt()
    return {
      "prompts.create": prompts.create(given),
      "prompts.addVersion": prompts.addVersion({ ...given, version: 2 }),
      "prompts.heads": prompts.heads,
      "prompts.texts": prompts.texts([{ name: given.name, version: 1 }, { name: "other", version: 2 }]),
      "prompts.find": prompts.find(given.name, 1),
      "prompts.find, the latest": prompts.find(given.name, undefined),
      "prompts.list": prompts.list({ page: 1, limit: 1 }),
      "prompts.versions": prompts.versions(given.name),
      "prompts.remove": prompts.remove(given.name)
    }
  }),
  unbounded: {
    "prompts.create": "counts the prompts, of which there are at most 500",
    "prompts.heads": "reads the names of all prompts, of which there are at most 500",
    "prompts.list": "counts the prompts, of which there are at most 500"
  },
  ofOneRow: ["prompts.find", "prompts.find, the latest"]
}
