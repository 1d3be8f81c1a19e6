// Results of calls for a run that does not wait for them.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import type OpenAI from "openai"
import { toolUser } from "../wire/Fixtures.ts"
import { call, failure, hi, parameters, serving } from "./OpenAiClient.ts"

const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const

describe("POST /v1/chat/completions", () => {
  it.live("a result that comes again, after its run has ended, is a conflict", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const ask = (...results: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
        client.chat.completions.create({ model: "a", messages: [...hi, ...results], tools: [show] })
      const { message } = (yield* call(() => ask())).choices[0]!
      const result = { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "shown" } as const
      yield* call(() => ask(message, result))
      const error = yield* failure(() => ask(message, result))
      assert.deepInclude({ status: error.status, code: error.code }, { status: 409, code: "conflict" })
      assert.include(error.message, "The run does not wait for results of calls")
    }))
})
