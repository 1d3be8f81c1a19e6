// What a removal of many sessions asks of the database.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import type { Database } from "@svc/runtime/database/Database"
import type { RunEngine } from "@svc/runtime/run/RunEngine"
import { sessionId } from "@svc/testing/suites/Samples"
import { Effect, Option } from "effect"
import * as SessionRemoval from "../../src/sessions/SessionRemoval.ts"

describe("a removal of many sessions", () => {
  it.effect("the unfinished runs of thousands of sessions without one are one question to the database", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const asking = <A>(name: string, answer: A) => () => Effect.sync(() => (asked.push(name), answer))
      const database = {
        runs: { list: asking("list", Option.none()), unfinished: asking("unfinished", []) },
        sessions: { remove: asking("remove", undefined) }
      } as unknown as Database
      const engine = { cancel: asking("cancel", true) } as unknown as RunEngine["Service"]
      const ids = Array.from({ length: 5000 }, () => sessionId())
      yield* SessionRemoval.remove(engine, database, ids, { owner: Owner.anyone })
      assert.deepStrictEqual(asked, ["unfinished", "remove"])
    }))
})
