// Requests of agents with `promptCache`: from turn to turn they begin with the same bytes, and providers that need
// marks get them.
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as CachedPrompts from "@svc-runtime/test-support/wire/CachedPrompts"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, get, list, runWhole, serve } from "../Wire.ts"

Tier.oneIn(4)

const order = Tool.make({
  name: "order",
  effects: "once",
  requiresConfirmation: true,
  execute: () => "ordered"
})

const look = Tool.make({ name: "look", effects: "read", execute: () => "found it" })

let count = 0

const options: Partial<Agent.Options> = {
  promptCache: "auto",
  addHistoryToContext: true,
  numHistoryRuns: 100,
  instructions: "Be brief.",
  tools: [look],
  // what differs in each run
  addDatetimeToContext: true
}

type Body = Readonly<Record<string, unknown>>

const clients = {
  anthropic: (url: string) =>
    Effect.provide(
      ModelCatalog.use((catalog) => catalog.resolve("anthropic:claude-sonnet-4-5")),
      ModelCatalog.layer({ anthropicApiKey: Redacted.make("key"), anthropicBaseUrl: url })
    ),
  openai: (url: string) => Effect.succeed(createOpenAI({ baseURL: url, apiKey: "key" }).chat("gpt-5"))
}

const serving = Effect.fnUntraced(function*(
  wire: WireServer.WireServer,
  name: keyof typeof clients,
  given: Partial<Agent.Options> = {}
) {
  const model: Agent.Options["model"] = yield* clients[name](wire.url)
  return yield* serve({ agents: [Agent.make({ id: "agent", model, ...options, ...given })] })
})

const calling = () => Reply.answer({ toolCalls: [{ id: `c${count++}`, name: "look", arguments: ["{}"] }] })

const turn = Effect.fnUntraced(function*(
  wire: WireServer.WireServer,
  svc: Parameters<typeof runWhole>[0],
  message: string,
  session_id = "s",
  ...rest: ReadonlyArray<object>
) {
  yield* wire.script(calling(), Reply.text(`About ${message}`))
  const { json } = yield* runWhole(svc, "agent", Object.assign({ session_id, message }, ...rest))
  assert.strictEqual(at(json, "content"), `About ${message}`)
  yield* TestClock.adjust("1 minute")
  return json
})

const marksIn = (body: Body): number => JSON.stringify(body).split("cache_control").length - 1

const textsOf = (body: Body) => CachedPrompts.anthropicBlocks(body).map(({ text }) => text)

const bodies = (wire: WireServer.WireServer) =>
  Effect.map(wire.requests, (requests) => requests.map(({ body }) => body))

const isContext = (text: string): boolean => text.includes("<current_context>")

describe("requests for the cache of a provider", () => {
  it.effect("each run of a session begins with the request before it, up to what changes: Anthropic", () =>
    Effect.gen(function*() {
      const wire = yield* AnthropicMessages.make
      const svc = yield* serving(wire, "anthropic")
      for (const message of ["tea", "milk", "sugar", "cake"]) yield* turn(wire, svc, message)
      const sent = yield* bodies(wire)
      assert.strictEqual(sent.length, 8)
      for (const [index, body] of sent.entries()) {
        assert.isAtMost(marksIn(body), 4)
        const texts = textsOf(body)
        const changing = texts.findIndex(isContext)
        assert.strictEqual(texts.filter(isContext).length, 1)
        assert.notInclude(texts.find((text) => text.startsWith("system")) ?? "", "The time is")
        assert.include(texts[changing] ?? "", "The time is")
        const next = sent[index + 1]
        if (next === undefined) continue
        // within a run all of the request, and else all before what changes
        const same = index % 2 === 0 ? texts : texts.slice(0, changing)
        assert.deepStrictEqual(textsOf(next).slice(0, same.length), same)
      }
    }))

  it.effect("the marks are at the tools, the system message, the history and the last message: Anthropic", () =>
    Effect.gen(function*() {
      const wire = yield* AnthropicMessages.make
      const svc = yield* serving(wire, "anthropic", { promptCache: { ttl: "1h" } })
      for (const message of ["tea", "milk"]) yield* turn(wire, svc, message)
      const [first, , third, last] = yield* bodies(wire)
      const control = { type: "ephemeral", ttl: "1h" }
      const marked = (body: Body | undefined) =>
        CachedPrompts.anthropicBlocks(body ?? {}).flatMap(({ isMarked, text }) => isMarked ? [text] : [])
      assert.deepStrictEqual(at(first, "tools", 0, "cache_control"), control)
      assert.deepStrictEqual(at(first, "system", 0, "cache_control"), control)
      assert.strictEqual(marked(first).length, 3)
      assert.strictEqual(marked(third).length, 4)
      assert.include(marked(third)[2] ?? "", "About tea")
      assert.include(marked(last)[2] ?? "", "About tea")
      assert.include(marked(last)[3] ?? "", "found it")
    }))

  it.effect("each run begins with the request before it, and requests of a session have one key: OpenAI", () =>
    Effect.gen(function*() {
      const wire = yield* OpenAiChat.make
      const svc = yield* serving(wire, "openai")
      for (const message of ["tea", "milk", "sugar"]) yield* turn(wire, svc, message)
      yield* turn(wire, svc, "tea", "other")
      const sent = (yield* bodies(wire)).slice(0, 6)
      for (const [index, body] of sent.entries()) {
        const next = sent[index + 1]
        if (next === undefined) continue
        const text = CachedPrompts.openAiText(body)
        const same = index % 2 === 0 ? text : text.slice(0, text.indexOf("<current_context>") - 30)
        assert.isTrue(CachedPrompts.openAiText(next).startsWith(same), String(index))
      }
      const keys = (yield* bodies(wire)).map((body) => body["prompt_cache_key"])
      assert.strictEqual(new Set(keys).size, 2)
      assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
      assert.notInclude(JSON.stringify(yield* bodies(wire)), "cache_control")
    }))

  it.effect("a run that waited for a person continues with the same bytes, and so does the run after it", () =>
    Effect.gen(function*() {
      const wire = yield* AnthropicMessages.make
      const svc = yield* serving(wire, "anthropic", { tools: [look, order] })
      yield* turn(wire, svc, "tea")
      const call = {
        id: "o1",
        name: "order",
        arguments: ["{\"what\":{\"size\":2,\"a\":[]},\"address\":\"Rome\",\"a\":1}"]
      }
      yield* wire.script(Reply.answer({ toolCalls: [call] }), Reply.text("Ordered."))
      const paused = yield* runWhole(svc, "agent", { session_id: "s", message: "Order it" })
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      yield* TestClock.adjust("1 hour")
      const tools = list(paused.json, "tools").map((tool) => ({ ...Object(tool), confirmed: true }))
      const { json } = yield* ask(svc, `/agents/agent/runs/${String(at(paused.json, "run_id"))}/continue`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", tools: JSON.stringify(tools), stream: "false" })
      })
      assert.strictEqual(at(json, "content"), "Ordered.")
      yield* turn(wire, svc, "milk")
      const sent = (yield* bodies(wire)).map(textsOf)
      const [before = [], resumed = [], next = []] = sent.slice(2)
      assert.deepStrictEqual(resumed.slice(0, before.length), before)
      const changing = next.findIndex(isContext)
      const asStored = resumed.map((text) => text.replace(/<current_context>.*<\/current_context>(\\n){2}/, ""))
      assert.deepStrictEqual(next.slice(0, changing - 1), asStored)
    }))

  it.effect("the requests of the leader of a team begin alike, and so do those of a member", () =>
    Effect.gen(function*() {
      const wire = yield* AnthropicMessages.make
      const model = yield* clients.anthropic(wire.url)
      const cook = Agent.make({
        id: "cook",
        model,
        instructions: "Cook.",
        promptCache: "auto",
        addDatetimeToContext: true
      })
      const { tools: _, ...rest } = options
      const team = Team.make({ id: "kitchen", model, members: [cook], ...rest })
      const svc = yield* serve({ teams: [team] })
      const task = JSON.stringify({ member_id: "cook", task: "Cook it" })
      for (const message of ["tea", "soup"]) {
        const toolCalls = [{ id: `d-${message}`, name: "delegate_task_to_member", arguments: [task] }]
        yield* wire.script(Reply.answer({ toolCalls }), Reply.text("Cooked."), Reply.text(`Served ${message}`))
        const body = new URLSearchParams({ message, session_id: "s", stream: "false" })
        const { json } = yield* ask(svc, "/teams/kitchen/runs", { method: "POST", body })
        assert.strictEqual(at(json, "content"), `Served ${message}`)
        yield* TestClock.adjust("1 minute")
      }
      const sent = (yield* bodies(wire)).map(textsOf)
      const isOfCook = (texts: ReadonlyArray<string>) =>
        texts.some((text) => text.startsWith("system") && text.includes("Cook."))
      const leader = sent.filter((texts) => !isOfCook(texts))
      assert.strictEqual(leader.length, 4)
      for (const [index, texts] of leader.entries()) {
        const next = leader[index + 1] ?? texts
        const same = index % 2 === 0 ? texts : texts.slice(0, texts.findIndex(isContext))
        assert.deepStrictEqual(next.slice(0, same.length), same)
      }
      const cooks = sent.filter(isOfCook).map((texts) => texts.filter((text) => !text.includes("The time is")))
      assert.deepStrictEqual(cooks[0], cooks[1])
    }))

  it.effect("without the option there are no marks and no key, and the time stays in the system message", () =>
    Effect.gen(function*() {
      const wires = { anthropic: yield* AnthropicMessages.make, openai: yield* OpenAiChat.make }
      for (const name of ["anthropic", "openai"] as const) {
        const wire = wires[name]
        yield* turn(wire, yield* serving(wire, name, { promptCache: undefined }), "tea")
        const text = JSON.stringify(yield* bodies(wire))
        for (const word of ["cache_control", "prompt_cache_key", "current_context", "svc"]) {
          assert.notInclude(text, word)
        }
        assert.include(text, "The time is")
      }
    }))

  it.effect("what changes is shown by no message of the user, in the run and in the session", () =>
    Effect.gen(function*() {
      const wire = yield* AnthropicMessages.make
      const svc = yield* serving(wire, "anthropic")
      const run = yield* turn(wire, svc, "tea", "s", {
        session_state: "{\"cups\":2}",
        add_session_state_to_context: true
      })
      yield* turn(wire, svc, "milk")
      assert.include(JSON.stringify((yield* bodies(wire))[0]), "cups")
      const roles = (at(run, "messages") as ReadonlyArray<Body>).filter(({ content }) =>
        String(content).includes("The time is")
      ).map(({ role }) => role)
      assert.deepStrictEqual(roles, ["system"])
      const session = yield* get(svc, "/sessions/s?type=agent")
      assert.notInclude(
        JSON.stringify(at(session.json, "chat_history")),
        "\"role\":\"user\",\"content\":\"<current_context>"
      )
      const texts = textsOf((yield* bodies(wire)).at(-1) ?? {})
      assert.strictEqual(texts.filter((text) => text.includes("The time is")).length, 1)
    }))
})
