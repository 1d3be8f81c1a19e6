// Hooks that change things, over HTTP: what clients, providers and later runs see.
import { assert, describe, it } from "@effect/vitest"
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect } from "effect"
import { at, get, post, runWhole, serve } from "../Wire.ts"

const model = "openai-compatible:small"

const mask = (value: unknown) => Hook.change(String(value).replaceAll("4711", "####"), "code")

const masking: Hook.RunHook = {
  name: "codes",
  beforeRun: ({ input }) => mask(input.input_content),
  afterRun: ({ content }) => mask(content)
}

const serving = Effect.gen(function*() {
  const provider = yield* OpenAiChat.answering(() => Reply.text("Your code is 4711"))
  const agent = Agent.make({ id: "clerk", model, hooks: [masking], addHistoryToContext: true })
  const team = Team.make({ id: "desk", model, members: [agent], hooks: [masking] })
  const server = yield* serve({ agents: [agent], teams: [team], openaiBaseUrl: provider.url })
  return { provider, server }
})

describe("hooks over HTTP", () => {
  it.effect("a stream has no byte of what the hooks have replaced in the answer", () =>
    Effect.gen(function*() {
      const { server } = yield* serving
      for (const path of ["/agents/clerk/runs", "/teams/desk/runs"]) {
        const { text } = yield* post(server, path, { message: "Hi", stream: "true" })
        assert.notInclude(text, "4711", path)
        assert.include(text, "Your code is ####", path)
        assert.match(text, /event: (Team)?HookApplied/, path)
      }
    }))

  it.effect("the provider gets the changed input, in this run and in the history of the next one", () =>
    Effect.gen(function*() {
      const { provider, server } = yield* serving
      const { json } = yield* runWhole(server, "clerk", { message: "Is it 4711?", session_id: "s" })
      assert.strictEqual(at(json, "content"), "Your code is ####")
      assert.strictEqual(at(json, "input", "input_content"), "Is it 4711?")
      yield* runWhole(server, "clerk", { message: "And now?", session_id: "s" })
      const sent = JSON.stringify((yield* provider.requests).map(({ body }) => body))
      assert.notInclude(sent, "4711")
      assert.include(sent, "Is it ####?")
    }))

  it.effect("the registry lists the hooks of components", () =>
    Effect.gen(function*() {
      const { server } = yield* serving
      const { json } = yield* get(server, "/registry?name=codes")
      assert.strictEqual(at(json, "data", 0, "name"), "codes")
    }))
})
