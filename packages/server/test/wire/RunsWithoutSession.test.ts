// Runs of workflows that are read by their id alone: the caller's own ones, without the session.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, claims, everything, seed, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import { at, notFound } from "../Wire.ts"

const limitedTo = (session_id: string) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", everything), session_id }))

describe("a run of a workflow without session_id", () => {
  it.effect("a run of a workflow is found by its id, if the caller may see it", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const { run, session } = yield* seed(server, ann)
      const read = (bearer: string, path = "/workflows/brief/runs") =>
        call(server, { path: `${path}/${run}-flow` }, bearer)
      for (const bearer of [ann, yield* token("root", "platform:admin"), yield* limitedTo(`${session}-flow`)]) {
        const found = yield* read(bearer)
        assert.strictEqual(found.status, 200, found.text)
        assert.strictEqual(at(found.json, "session_id"), `${session}-flow`)
      }
      notFound(yield* read(yield* token("bob", ...everything)), "Run not found")
      notFound(yield* read(yield* limitedTo(session)), "Run not found")
      notFound(yield* read(ann, "/workflows/other/runs"), "Run not found")
    }))
})
