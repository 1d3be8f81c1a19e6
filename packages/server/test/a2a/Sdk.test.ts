// The official client of A2A, in both versions and on both bindings, against the service on a real port.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at } from "../Wire.ts"
import { assistant, plain } from "../wire/Fixtures.ts"
import * as Sdk from "./Sdk.ts"

Tier.oneIn(3)

const textsOf = (items: ReadonlyArray<unknown>) =>
  items.filter((item) => at(item, "payload", "$case") === "artifactUpdate").map((item) =>
    String(at(item, "payload", "value", "artifact", "parts", 0, "content", "value") ?? "")
  ).join("")

describe.each(Sdk.dialects)("A2A $version on $binding", (dialect) => {
  it.live("the official client sends a message and reads the task", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/plain`, dialect)
      assert.strictEqual(client.protocolVersion, dialect.version)
      const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("hi")))
      assert.strictEqual(at(sent, "status", "state"), 3)
      assert.strictEqual(at(sent, "artifacts", 0, "parts", 0, "content", "value"), "Hello.")
      const task = yield* Effect.promise(() => client.getTask({ id: String(at(sent, "id")), tenant: "" } as never))
      assert.strictEqual(task.contextId, at(sent, "contextId"))
      assert.deepStrictEqual(at(task, "artifacts"), at(sent, "artifacts"))
      assert.strictEqual(at(task, "history", 0, "parts", 0, "content", "value"), "hi")
    }))

  it.live("the official client streams the same text that it reads afterwards", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* assistant).agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/assistant`, dialect)
      const items = yield* Sdk.collect(client.sendMessageStream(Sdk.message("What is tea?")))
      assert.strictEqual(at(items[0], "payload", "$case"), "task")
      assert.strictEqual(textsOf(items), "Tea is a leaf.")
      assert.strictEqual(at(items.at(-1), "payload", "$case"), "statusUpdate")
      assert.strictEqual(at(items.at(-1), "payload", "value", "status", "state"), 3)
      const id = String(at(items[0], "payload", "value", "id"))
      const task = yield* Effect.promise(() => client.getTask({ id, tenant: "" } as never))
      assert.strictEqual(at(task, "artifacts", 0, "parts", 0, "content", "value"), "Tea is a leaf.")
    }))
})
