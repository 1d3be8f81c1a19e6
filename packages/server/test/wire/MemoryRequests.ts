// Requests about memories.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, column, list, post } from "../Wire.ts"

export const create = Effect.fnUntraced(function*(server: TestServer.TestServer, memory: string, more: object = {}) {
  const answer = yield* post(server, "/memories", { memory, user_id: "ann", ...more })
  assert.strictEqual(answer.status, 200, answer.text)
  return String(at(answer.json, "memory_id"))
})

export const texts = (json: unknown) => column(list(json, "data"), "memory")
