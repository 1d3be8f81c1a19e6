// What hooks cost: one that does nothing, for a call of a stage, and ten guardrails by pattern for a text of 10 KB.
import type * as Hook from "@svc/runtime/agent/Hook"
import * as HookStages from "@svc/runtime/agent/HookStages"
import * as Guardrail from "@svc/runtime/guardrail/Guardrail"
import { Effect } from "effect"
import { say } from "./StatementTimes.ts"

const sentence = "The delivery of order 4711 leaves on Monday at 10:30, and costs 12.50 in all. "
const text = sentence.repeat(Math.ceil(10_240 / sentence.length))

const hooked = (hooks: ReadonlyArray<Hook.RunHook>): HookStages.Hooked => ({
  agent: { hooks, runTimeout: undefined },
  context: {} as never,
  emit: () => undefined,
  elapsed: () => 0,
  askOf: () => () => Promise.reject(new Error("no model here"))
})

const nothing = hooked([{ name: "nothing", beforeTool: () => undefined }])

const guarded = hooked([
  ...(["email", "phone", "card", "iban", "national_id"] as const).map((type) =>
    Guardrail.pii({ name: type, types: [type] })
  ),
  Guardrail.secrets({ on: ["results"] }),
  Guardrail.promptInjection(),
  Guardrail.length({ max: 20_000, on: ["results"] }),
  Guardrail.length({ name: "short", min: 1, on: ["results"] }),
  Guardrail.language({ allowed: ["en"], on: ["results"] })
])

const call = { tool: "look", toolCallId: "call_1", args: {} }

const microsOf = Effect.fnUntraced(function*<E>(count: number, effect: Effect.Effect<unknown, E>) {
  yield* Effect.repeat(effect, { times: count >> 2 })
  const since = process.cpuUsage()
  yield* Effect.repeat(effect, { times: count - 1 })
  const { system, user } = process.cpuUsage(since)
  return (user + system) / count
})

const program = Effect.gen(function*() {
  const idle = yield* microsOf(50_000, HookStages.beforeTool(nothing, call))
  say(`a hook that does nothing: ${idle.toFixed(2)} microseconds a call`)
  const ten = yield* microsOf(1000, HookStages.afterTool(guarded, { ...call, isError: false }, text))
  say(`ten guardrails by pattern on 10 KB: ${(ten / 1000).toFixed(3)} milliseconds`)
})

await Effect.runPromise(program)
