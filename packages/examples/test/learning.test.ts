// The team of the example shares what it learned, on the demo model.
import { assert, describe, it } from "@effect/vitest"
import { desk } from "@svc-runtime/examples/learning"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"

const ask = (server: TestServer.TestServer, message: string) =>
  Effect.flatMap(
    server.fetch("/teams/desk/runs", { method: "POST", body: new URLSearchParams({ message, stream: "false" }) }),
    (response) => Effect.promise(() => response.text())
  )

describe("learning", () => {
  it.effect("what the team saves in one session is found in another", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ teams: [{ ...desk, leader: { ...desk.leader, model: "demo" } }] })
      assert.include(yield* ask(server, "Save the knowledge \"Deploys are slow on Mondays\""), "save_knowledge")
      const stored = yield* server.fetch("/learnings?namespace=desk")
      assert.include(yield* Effect.promise(() => stored.text()), "Deploys are slow on Mondays")
      assert.include(yield* ask(server, "Search the learnings about deploys"), "Deploys are slow on Mondays")
    }))
})
