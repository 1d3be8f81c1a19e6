// What hooks cost: one that does nothing, for a call of a stage, and ten guardrails by pattern for a text of 10 KB. And
// for how long guardrails hold up everything else when they look at 9 MB.
import type * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as HookStages from "@svc-runtime/agents/agent/execute/hooks/HookStages"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect } from "effect"
import * as LongestBlock from "./LongestBlock.ts"
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

const long = 9_000_000

const repeated = (part: string, bytes = long) => part.repeat(Math.ceil(bytes / Buffer.byteLength(part)))

const longTexts = {
  sentences: repeated(sentence),
  "addresses and numbers": repeated(
    "Write to ada.lovelace@example.org, call +49 30 901820 or pay 4111 1111 1111 1111. "
  ),
  "one word": repeated("a"),
  digits: repeated("4 1-"),
  "parts of addresses": repeated("a@a."),
  "beginnings of injections": repeated("ignore all of "),
  "names of secrets": repeated("password=secret_key="),
  "look-alikes": repeated("\u{FF14}\u200B"),
  "U+FDFA": repeated("\uFDFA"),
  "escaped JSON": JSON.stringify({ text: repeated("Mail \"ada@example.org\"\n", long * 0.8) }),
  "list of JSON": JSON.stringify(Array.from({ length: 300_000 }, (_, index) => `Order "${index}" leaves`))
}

const patterned = {
  pii: Guardrail.pii({ on: ["results"] }),
  secrets: Guardrail.secrets(),
  promptInjection: Guardrail.promptInjection()
}

const program = Effect.gen(function*() {
  const idle = yield* microsOf(50_000, HookStages.beforeTool(nothing, call))
  say(`a hook that does nothing: ${idle.toFixed(2)} microseconds a call`)
  const ten = yield* microsOf(1000, HookStages.afterTool(guarded, { ...call, isError: false }, text))
  say(`ten guardrails by pattern on 10 KB: ${(ten / 1000).toFixed(3)} milliseconds`)
  for (const [guardrail, hook] of Object.entries(patterned)) {
    for (const [name, given] of Object.entries(longTexts)) {
      const looking = UserCode.call(() => hook.afterTool?.({ ...call, result: given } as never))
      const since = performance.now()
      const longest = yield* LongestBlock.of(Effect.exit(looking))
      const all = performance.now() - since
      say(`${guardrail} on 9 MB of ${name}: ${all.toFixed(0)} milliseconds, the longest block ${longest.toFixed(0)}`)
    }
  }
})

await Effect.runPromise(program)
