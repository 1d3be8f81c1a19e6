import { assert, describe, it } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { reasoning, text, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { change, CheckFailed } from "../../src/agent/define/Hook.ts"
import { eventsOf, linesOf, rolesOf, run } from "./Harness.ts"

const thought = (title: string, next_action = "continue") =>
  text(JSON.stringify({ title, action: "Look", result: "Seen", reasoning: "Why not", next_action, confidence: 0.5 }))

const answer = [text("Done")]

describe("reasoning", () => {
  it.effect("reasoning comes before the loop: started, a step at a time, completed", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true }, [[thought("One")], [thought("Two", "final_answer")], answer])
      assert.deepStrictEqual(ran.kinds, [
        "RunStarted",
        "ReasoningStarted",
        "ReasoningStep",
        "ReasoningStep",
        "ReasoningCompleted",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted"
      ])
    }))

  it.effect("each reasoning step is shown, with all steps so far as Markdown", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true }, [[thought("One")], [thought("Two", "final_answer")], answer])
      const steps = eventsOf(ran, "ReasoningStep")
      assert.deepStrictEqual(steps.map(({ content }) => content.title), ["One", "Two"])
      assert.strictEqual(steps[0]?.content_type, "ReasoningStep")
      assert.strictEqual(steps[0]?.reasoning_content, "## One\nWhy not\nSeen\n")
      assert.strictEqual(steps[1]?.reasoning_content, "## One\nWhy not\nSeen\n\n## Two\nWhy not\nSeen\n")
      const [completed] = eventsOf(ran, "ReasoningCompleted")
      assert.deepStrictEqual(completed?.content.reasoning_steps, steps.map(({ content }) => content))
      assert.strictEqual(completed?.content_type, "ReasoningSteps")
    }))

  it.effect("reasoning is in the output, but not among the messages", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ reasoning: true }, [[thought("One", "final_answer")], answer])
      assert.deepStrictEqual(output.reasoning_steps?.map(({ title }) => title), ["One"])
      assert.strictEqual(output.reasoning_content, "## One\nWhy not\nSeen\n")
      assert.deepStrictEqual(rolesOf({ output } as never), ["user", "assistant"])
    }))

  it.effect("reasoning gets the system message and the history, and the answer gets its thoughts", () =>
    Effect.gen(function*() {
      const history = [{
        id: "1",
        role: "user",
        content: "Earlier",
        from_history: false,
        stop_after_tool_call: false,
        created_at: 0
      }] satisfies ReadonlyArray<Message.Message>
      const ran = yield* run(
        { reasoning: true, instructions: "Be kind." },
        [[thought("One")], [thought("Two", "final_answer")], answer],
        { history }
      )
      const [first, second, third] = ran.calls.map(linesOf)
      assert.match(first?.[0] ?? "", /^system: Think about the request before it is answered\.[^]*Be kind\.$/)
      assert.deepStrictEqual(first?.slice(1), ["user: Earlier", "user: Hi"])
      assert.strictEqual(second?.length, 5)
      assert.match(second?.[3] ?? "", /^assistant: \{"title":"One"/)
      assert.deepStrictEqual(third?.slice(0, 3), ["system: Be kind.", "user: Earlier", "user: Hi"])
      assert.match(third?.[3] ?? "", /^assistant: <thinking>\n## One\n/)
      assert.strictEqual(third?.length, 5)
    }))

  it.effect("reasoning requests steps of one shape, and offers no tools", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "tool", execute: () => 1 })
      const ran = yield* run({ reasoning: true, tools: [tool] }, [[thought("One", "final_answer")], answer])
      assert.deepStrictEqual(ran.calls[0]?.tools, [])
      const { responseFormat } = ran.calls[0]!
      assert.strictEqual(responseFormat.type === "json" ? responseFormat.name : "", "ReasoningStep")
      assert.strictEqual(ran.calls[1]?.responseFormat.type, "text")
    }))

  it.effect("reasoning ends after reasoningMaxSteps", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true, reasoningMaxSteps: 2 }, [[thought("One")], [thought("Two")], answer])
      assert.strictEqual(ran.output.reasoning_steps?.length, 2)
      assert.strictEqual(ran.output.content, "Done")
    }))

  it.effect("reasoning does not end before reasoningMinSteps", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true, reasoningMinSteps: 2 }, [
        [thought("One", "final_answer")],
        [thought("Two", "final_answer")],
        answer
      ])
      assert.strictEqual(ran.output.reasoning_steps?.length, 2)
    }))

  it.effect("reasoning ends when the model answers in another form", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true }, [[text("I would rather talk")], answer])
      assert.strictEqual(ran.output.content, "Done")
      assert.isUndefined(ran.output.reasoning_steps)
      assert.deepStrictEqual(linesOf(ran.calls[1]), ["user: Hi"])
      assert.deepStrictEqual(eventsOf(ran, "ReasoningCompleted")[0]?.content, { reasoning_steps: [] })
    }))

  it.effect("the reasoning of a reasoning model is shown as it comes", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true }, [[reasoning("Hm, ", "so"), thought("One", "final_answer")], answer])
      assert.deepStrictEqual(eventsOf(ran, "ReasoningContentDelta").map((event) => event.reasoning_content), [
        "Hm, ",
        "so"
      ])
    }))

  it.effect("a model of its own can reason, and its usage is counted in that role", () =>
    Effect.gen(function*() {
      const thinker = yield* Script.make([[thought("One", "final_answer"), usage({ input: 5, output: 2 })]], {
        id: "thinker",
        provider: "Elsewhere"
      })
      const ran = yield* run({ reasoning: true }, [[text("Done"), usage({ input: 3, output: 1 })]], { thinker })
      assert.strictEqual(yield* thinker.remaining, 0)
      assert.deepStrictEqual(ran.output.metrics?.details, {
        reasoning_model: [{ id: "thinker", provider: "Elsewhere", input_tokens: 5, output_tokens: 2, total_tokens: 7 }],
        model: [{ id: "scripted", provider: "Scripted", input_tokens: 3, output_tokens: 1, total_tokens: 4 }]
      })
      assert.strictEqual(ran.output.metrics?.total_tokens, 11)
    }))

  it.effect("requests of the reasoning leave out what other requests leave out", () =>
    Effect.gen(function*() {
      const earlier = (role: "assistant" | "user", content: string) =>
        ({
          id: content,
          role,
          content,
          from_history: true,
          stop_after_tool_call: false,
          created_at: 1
        }) as Message.Message
      const history = [earlier("user", "first"), earlier("assistant", "one"), earlier("user", "second")]
      const ran = yield* run(
        { reasoning: true, numHistoryMessages: 1 },
        [[thought("One", "final_answer")], answer],
        { history }
      )
      for (const call of ran.calls) {
        assert.notInclude(linesOf(call).join(), "first")
        assert.include(linesOf(call).join(), "second")
      }
      assert.deepStrictEqual(eventsOf(ran, "ContextTrimmed").map(({ messages }) => messages), [2])
    }))

  it.effect("hooks after the model see each step before it is shown, stored or sent again", () =>
    Effect.gen(function*() {
      const masked = (given: string) => given.replaceAll("Seen", "***").replaceAll("secret", "***")
      const ran = yield* run(
        {
          reasoning: true,
          hooks: [{ name: "guard", afterModel: ({ reasoning }) => change({ reasoning: masked(reasoning) }) }]
        },
        [[reasoning("A secret"), thought("One")], [thought("Two", "final_answer")], answer]
      )
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.output.reasoning_steps?.length, 2)
      assert.include(ran.output.reasoning_steps?.[0]?.reasoning, "***")
      const shown = [ran.output, ran.events, ran.journal, ran.calls.map((call) => linesOf(call))]
      assert.notMatch(JSON.stringify(shown), /Seen|secret/)
    }))

  it.effect("a hook that rejects a step ends the run before the step is shown", () =>
    Effect.gen(function*() {
      const reject = () => {
        throw new CheckFailed({ reason: "output_not_allowed", message: "Not here" })
      }
      const ran = yield* run({ reasoning: true, hooks: [{ name: "guard", afterModel: reject }] }, [[thought("One")]])
      assert.deepInclude(ran.endEvent, { error_type: "output_check_error", content: "Not here" })
      assert.deepStrictEqual(eventsOf(ran, "ReasoningStep"), [])
    }))

  it.effect("a failure of the reasoning ends the run", () =>
    Effect.gen(function*() {
      const ran = yield* run({ reasoning: true }, [[thought("One")], [Script.fail("It is down")]])
      assert.strictEqual(ran.output.status, "ERROR")
      assert.deepStrictEqual(ran.kinds.slice(-2), ["ReasoningStep", "RunError"])
      assert.strictEqual(ran.output.reasoning_steps?.length, 1)
    }))
})
