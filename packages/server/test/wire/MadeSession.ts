// A service with one session that was made by a request.
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { post, serve } from "../Wire.ts"
import { plain } from "./Fixtures.ts"

export const made = Effect.gen(function*() {
  const server = yield* serve({ agents: [(yield* plain).agent] })
  yield* post(server, "/sessions", {
    session_id: "made",
    session_name: "Made",
    agent_id: "plain",
    session_state: { a: 1, b: 2 },
    metadata: { m: 1 }
  })
  yield* TestClock.adjust("10 seconds")
  return server
})
