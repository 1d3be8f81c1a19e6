// What the code of an author throws, as text.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as UserCode from "../src/userCode/UserCode.ts"

const refused = new AggregateError([
  new Error("connect ECONNREFUSED ::1:1"),
  new Error("connect ECONNREFUSED 127.0.0.1:1")
], "")
const unreadable = new Proxy({}, {
  get: () => {
    throw new Error("no")
  },
  getPrototypeOf: () => {
    throw new Error("no")
  }
})

const cases: ReadonlyArray<readonly [string, unknown, string]> = [
  ["an error", new Error("No money"), "No money"],
  ["a text", "No money", "No money"],
  ["an error without a message", new TypeError(), "TypeError"],
  ["errors of several attempts", refused, "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1"],
  ["errors with a message of their own", new AggregateError([new Error("a")], "All failed"), "All failed"],
  ["an object that throws when it is read", unreadable, "What was thrown cannot be read"],
  ["a number", 7, "It failed"]
]

describe("what the code of an author throws", () => {
  for (const [name, thrown, message] of cases) {
    it.effect(`${name} has a message`, () =>
      Effect.gen(function*() {
        const throwing = () => {
          throw thrown
        }
        const error = yield* Effect.flip(UserCode.call(throwing))
        assert.strictEqual(UserCode.messageOf(error, "It failed"), message)
      }))
  }
})
