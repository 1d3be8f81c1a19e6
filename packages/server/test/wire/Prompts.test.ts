// Prompts: what is stored and refused, what the instructions of agents get, and who uses them.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Prompt from "@svc-runtime/features/prompts/Prompt"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, get, list, notFound, post, runWhole, send, serve } from "../Wire.ts"

Tier.oneIn(3)

const create = Effect.fnUntraced(function*(server: TestServer.TestServer, name: string, text: string) {
  const made = yield* post(server, "/prompts", { name, text })
  assert.strictEqual(made.status, 201, made.text)
  return made.json
})

const change = Effect.fnUntraced(function*(server: TestServer.TestServer, name: string, text: string) {
  const made = yield* post(server, `/prompts/${name}/versions`, { text })
  assert.strictEqual(made.status, 201, made.text)
})

const answers = Array.from({ length: 20 }, (): Script.Turn => [Script.text("Yes")])

/** The system message of the last request to the model. */
const systemOf = (calls: ReadonlyArray<Script.Call>): unknown => {
  const content: ReadonlyArray<{ readonly role: string; readonly content: unknown }> = calls.at(-1)?.prompt.content ??
    []
  return content.find(({ role }) => role === "system")?.content
}

describe("prompts over the API", () => {
  it.effect("a prompt is stored, changed by a version, listed and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const text = "Write as {{brand|our shop}} does. {{a}}"
      const first = { name: "tone", version: 1, text, variables: ["brand", "a"], includes: [], created_by: null }
      assert.deepInclude(yield* create(server, "tone", text), { ...first, declared: false })
      yield* change(server, "tone", "Be short.")
      yield* create(server, "support", "Help. {{> tone}} {{> tone@1 a=\"1\"}}")
      assert.deepInclude((yield* get(server, "/prompts/tone?version=1")).json as object, first)
      assert.deepInclude((yield* get(server, "/prompts/tone")).json as object, {
        version: 2,
        text: "Be short.",
        used_by: [{ kind: "prompt", id: "support", version: 1 }]
      })
      assert.deepStrictEqual(at((yield* get(server, "/prompts/support")).json, "includes"), ["tone", "tone@1"])
      const listed = yield* get(server, "/prompts")
      assert.deepStrictEqual(column(list(listed.json, "data"), "name"), ["support", "tone"])
      assert.notInclude(listed.text, "Be short")
      assert.deepStrictEqual(column((yield* get(server, "/prompts/tone/versions")).json as never, "version"), [2, 1])
      failed(
        yield* post(server, "/prompts", { name: "tone", text }),
        409,
        "CONFLICT",
        "There is a prompt 'tone'. Store its next version at /prompts/tone/versions"
      )
      failed(
        yield* send(server, "DELETE", "/prompts/tone", undefined),
        409,
        "CONFLICT",
        "The prompt 'tone' is used by the prompt 'support' (version 1). Take it out of them first"
      )
      assert.strictEqual((yield* send(server, "DELETE", "/prompts/support", undefined)).status, 204)
      assert.strictEqual((yield* send(server, "DELETE", "/prompts/tone", undefined)).status, 204)
      notFound(yield* get(server, "/prompts/tone"), "Prompt with name 'tone' not found")
      notFound(yield* send(server, "DELETE", "/prompts/tone", undefined), "Prompt with name 'tone' not found")
      notFound(yield* get(server, "/prompts/..%2Fx"))
    }))

  it.effect("what cannot be used is refused with what to do, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, "tone", "Be {{how|short}}.")
      yield* create(server, "outer", "{{> tone}}")
      const bad = [
        ["{{how", "Line 1: {{ is not followed by the name of a variable and }}"],
        ["{{> tone", "Line 1: {{> is not followed by the name of a prompt and }}"],
        ["{{> nothing}}", "There is no prompt 'nothing'. Create it first"],
        ["{{> tone@2}}", "There is no prompt 'tone@2'"],
        ["{{> new}}", "The prompts include each other in a circle: new → new. Remove one of the includes"],
        ["{{> tone hwo=\"x\"}}", "The prompt 'tone' has no variable 'hwo'. It has: how"]
      ] as const
      for (const [text, expected] of bad) {
        const refused = yield* post(server, "/prompts", { name: "new", text })
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(refused.text, expected)
      }
      const circle = yield* post(server, "/prompts/tone/versions", { text: "{{> outer}}" })
      assert.strictEqual(circle.status, 422)
      assert.include(circle.text, "in a circle: tone → outer → tone. Remove one of the includes")
      for (const name of ["Tone", "a b", "-a", "a".repeat(65), ""]) {
        assert.strictEqual((yield* post(server, "/prompts", { name, text: "x" })).status, 422, name)
      }
      for (const text of ["", "x".repeat(20_001)]) {
        assert.strictEqual((yield* post(server, "/prompts", { name: "new", text })).status, 422)
      }
      assert.strictEqual((yield* post(server, "/prompts", { name: "new", text: "x", extra: 1 })).status, 422)
      notFound(yield* post(server, "/prompts/new/versions", { text: "x" }), "Prompt with name 'new' not found")
      assert.strictEqual(at((yield* get(server, "/prompts")).json, "meta", "total_count"), 2)
    }))

  it.effect("each right has a scope of its own, and who stored a version is known", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [reader, writer] = [yield* token("ann", "prompts:read"), yield* token("bob", "prompts:write")]
      const request = {
        path: "/prompts",
        init: {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "tone", text: "Be short." })
        }
      }
      assert.strictEqual((yield* call(server, request, reader)).status, 403)
      const made = yield* call(server, request, writer)
      assert.strictEqual(at(made.json, "created_by"), "bob", made.text)
      assert.strictEqual((yield* call(server, { path: "/prompts/tone" }, writer)).status, 403)
      assert.strictEqual((yield* call(server, { path: "/prompts/tone" }, reader)).status, 200)
      const remove = { path: "/prompts/tone", init: { method: "DELETE" } }
      assert.strictEqual((yield* call(server, remove, writer)).status, 403)
    }))
})

describe("prompts in instructions", () => {
  it.effect("two nodes use a new version within two seconds, and a pinned one stays", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make(answers)
      const stores = yield* TestDatabase.make()
      const node = serve({ model, database: () => stores })
      const [one, other] = [yield* node, yield* node]
      yield* create(one, "tone", "Be friendly.")
      yield* TestClock.adjust("2 seconds")
      const made = yield* post(one, "/agents", { name: "Desk", instructions: "{{x}} {{> tone}} {{> tone@1}}" })
      assert.strictEqual(made.status, 201, made.text)
      const shownBy = Effect.fnUntraced(function*(server: TestServer.TestServer) {
        yield* runWhole(server, "desk", { message: "hi" })
        return systemOf(yield* calls)
      })
      const before = "{{x}} Be friendly. Be friendly."
      assert.deepStrictEqual([yield* shownBy(one), yield* shownBy(other)], [before, before])
      yield* change(one, "tone", "Be short.")
      yield* TestClock.adjust("2 seconds")
      const after = "{{x}} Be short. Be friendly."
      assert.deepStrictEqual([yield* shownBy(one), yield* shownBy(other)], [after, after])
    }))

  it.effect("a prompt that components use is not deleted, nor changed so that they could not use it", () =>
    Effect.gen(function*() {
      const ofCode = Agent.make({ id: "clerk", instructions: Prompt.use("tone") })
      const server = yield* serve({ agents: [ofCode] })
      yield* create(server, "tone", "Be {{how|short}}.")
      const made = yield* post(server, "/agents", { name: "Desk", instructions: ["Help.", "{{> tone how=\"kind\"}}"] })
      assert.strictEqual(made.status, 201, made.text)
      assert.deepStrictEqual(at((yield* get(server, "/prompts/tone")).json, "used_by"), [
        { kind: "agent", id: "clerk", version: null },
        { kind: "agent", id: "desk", version: 1 }
      ])
      failed(
        yield* send(server, "DELETE", "/prompts/tone", undefined),
        409,
        "CONFLICT",
        "The prompt 'tone' is used by the agent 'clerk', the agent 'desk' (version 1). Take it out of them first"
      )
      failed(
        yield* post(server, "/prompts/tone/versions", { text: "Be {{how}}." }),
        409,
        "CONFLICT",
        "With this version, the agent 'clerk' could not be used. The variable 'how' of the prompt 'tone' has no value. " +
          "Give it one where the prompt is included, as in {{> tone how=\"text\"}}, or give it a default in the prompt, " +
          "as in {{how|text}}"
      )
      const refused = yield* post(server, "/agents", { name: "Other", instructions: "{{> nothing}}" })
      assert.notStrictEqual(refused.status, 201)
      assert.include(refused.text, "There is no prompt 'nothing'. Create it first")
    }))

  it.effect("an agent in code uses a prompt with variables, and a missing one ends the run with what to do", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make(answers)
      const desk = Agent.make({ id: "desk", model, instructions: Prompt.use("tone", { brand: "A \"B\"" }) })
      const server = yield* serve({ agents: [desk] })
      const ended = yield* runWhole(server, "desk", { message: "hi" })
      assert.strictEqual(at(ended.json, "status"), "ERROR")
      assert.include(JSON.stringify(ended.json), "There is no prompt 'tone'. Create it first")
      yield* create(server, "tone", "Write as {{brand}} does.")
      yield* runWhole(server, "desk", { message: "hi" })
      assert.strictEqual(systemOf(yield* calls), "Write as A \"B\" does.")
    }))

  it.effect("what the code declares is stored as versions, and requests do not change it", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make(answers)
      const desk = Agent.make({ id: "desk", model, instructions: Prompt.text("Help {{you}}. {{> support}}") })
      const prompts = [{ name: "tone", text: "Be short." }, { name: "support", text: "Answer. {{> tone}}" }]
      const server = yield* serve({ agents: [desk], declared: { prompts } })
      yield* runWhole(server, "desk", { message: "hi" })
      assert.strictEqual(systemOf(yield* calls), "Help {{you}}. Answer. Be short.")
      assert.isTrue(at((yield* get(server, "/prompts/tone")).json, "declared"))
      failed(
        yield* post(server, "/prompts/tone/versions", { text: "x" }),
        409,
        "CONFLICT",
        "The prompt is declared in the code of the service. Change it there"
      )
    }))
})
