// A service whose tool does something that nothing awaits, and that fails.
import { Agent, serve, Tool } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"

const { proxy: revoked, revoke } = Proxy.revocable({}, {})
revoke()

const throws = () => {
  throw new Error("It cannot be read")
}

/** Looking at each of these throws. */
const hostiles: ReadonlyArray<unknown> = [
  Object.assign(new AggregateError([]), { errors: null }),
  Object.assign(new AggregateError([]), { errors: { length: 1 } }),
  Object.defineProperty(new Error("It has a getter"), "cause", { get: throws }),
  new Proxy({}, { get: throws, has: throws, getPrototypeOf: throws, ownKeys: throws }),
  revoked,
  Object.assign(new Error("It has a revoked cause"), { cause: revoked }),
  { code: 42, detail: "The queue is full" }
]

const forgets = Tool.make({
  name: "forgets",
  effects: "read",
  parameters: { type: "object" },
  execute: () => {
    for (const hostile of hostiles) void Promise.reject(hostile)
    void Promise.reject(new Error("The ledger is closed"))
    return "done"
  }
})

const { model } = await Effect.runPromise(Script.make([
  [Script.toolCall("forgets", {}, "call")],
  [Script.text("It is done.")]
]))

serve({ agents: [Agent.make({ id: "assistant", model, tools: [forgets] })] })
