// A copy of a session has what features have in it, or there is none.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import { Effect, Option } from "effect"
import * as SessionCopies from "../../src/database/SessionCopies.ts"

const forking = {
  source: Session.Id.make("from"),
  session_id: Session.Id.make("to"),
  filter: { owner: Owner.anyone },
  created_at: 1
}

/** Stores that write down what is done in which order. */
const stores = (isFound: boolean) => {
  const done: Array<string> = []
  const note = (text: string) => Effect.sync(() => void done.push(text))
  return {
    done,
    memorySettings: {
      atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        note("begin").pipe(Effect.andThen(effect), Effect.tap(note("commit")))
    },
    runs: {
      fork: () => Effect.as(note("runs"), isFound ? Option.some({ paused: new Map(), approvals: [] }) : Option.none())
    },
    files: { copySession: (from: Session.Id, to: Session.Id) => note(`files from ${from} to ${to}`) },
    others: {}
  }
}

describe("copies of sessions", () => {
  it.effect("what features have in a session is copied in the transaction of its runs", () =>
    Effect.gen(function*() {
      const all = stores(true)
      yield* SessionCopies.fork(all)(forking)
      assert.deepStrictEqual(all.done, ["begin", "runs", "files from from to to", "commit"])
    }))

  it.effect("nothing is copied if there is nothing to copy", () =>
    Effect.gen(function*() {
      const all = stores(false)
      yield* SessionCopies.fork(all)(forking)
      assert.deepStrictEqual(all.done, ["begin", "runs", "commit"])
    }))
})
