// Counts what the ready guardrails by pattern find in labelled texts, and what they miss.
import type * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as HookStages from "@svc-runtime/agents/agent/execute/hooks/HookStages"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import { Effect, Result } from "effect"
import { type Guard, texts } from "./Texts.ts"

const on = ["results"] as const

const guardrails: Readonly<Record<Guard, Hook.RunHook>> = {
  pii: Guardrail.pii({ on }),
  secrets: Guardrail.secrets({ on }),
  promptInjection: Guardrail.promptInjection({ on }),
  language: Guardrail.language({ allowed: ["en", "de"], on }),
  length: Guardrail.length({ min: 2, max: 40, on })
}

const call = { tool: "look", toolCallId: "call_1", args: {}, isError: false }

/** Whether the guardrail masks or blocks the text. */
const finds = (hook: Hook.RunHook, text: string) =>
  Effect.map(
    Effect.result(HookStages.afterTool(
      {
        agent: { hooks: [hook], runTimeout: undefined },
        context: {} as never,
        emit: () => undefined,
        elapsed: () => 0,
        askOf: () => () => Promise.reject(new Error("There is no model"))
      },
      call,
      text
    )),
    (result) => Result.isFailure(result) || result.success.isChanged
  )

export interface Count {
  readonly guard: Guard
  readonly found: number
  readonly missed: ReadonlyArray<string>
  readonly passed: number
  /** Found where nothing is. */
  readonly wrong: ReadonlyArray<string>
}

export const count = (guard: Guard): Effect.Effect<Count> =>
  Effect.gen(function*() {
    const { bad, good } = texts[guard]
    const isFound = (text: string) => finds(guardrails[guard], text)
    const found = yield* Effect.filter(bad, isFound)
    const wrong = yield* Effect.filter(good, isFound)
    return {
      guard,
      found: found.length,
      missed: bad.filter((text) => !found.includes(text)),
      passed: good.length - wrong.length,
      wrong
    }
  })
