// Agents, teams and workflows that requests create, change and delete.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, serveClosed, serveOpen, token } from "../authorization/Closed.ts"
import { at, badRequest, column, failed, get, invalid, notFound, post, send, serve } from "../Wire.ts"

Tier.oneIn(6)

const configOf = (server: TestServer.TestServer, id: string, version: number) =>
  Effect.map(get(server, `/components/${id}/configs/${version}`), ({ json }) => at(json, "config"))

describe("definitions of components", () => {
  it.effect("an agent is created with a published version, changed, and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const body = { name: "Greeter", description: "d", metadata: { a: 1 }, model: "demo", instructions: "Greet" }
      const made = yield* post(server, "/agents", body)
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.json as object, {
        id: "greeter",
        component_id: "greeter",
        component_type: "agent",
        name: "Greeter",
        current_version: 1,
        version: 1,
        stage: "published"
      })
      assert.deepStrictEqual(yield* configOf(server, "greeter", 1), { model: "demo", instructions: "Greet" })
      const patch = (fields: object) => send(server, "PATCH", "/agents/greeter", fields)
      const changed = yield* patch({ name: "Host", instructions: null, markdown: true })
      assert.deepInclude(changed.json as object, { id: "greeter", name: "Host", current_version: 2, version: 2 })
      assert.deepStrictEqual(yield* configOf(server, "greeter", 2), { model: "demo", markdown: true })
      failed(
        yield* post(server, "/agents", { ...body, id: "greeter" }),
        409,
        "CONFLICT",
        "Component greeter already exists"
      )
      assert.strictEqual((yield* send(server, "DELETE", "/agents/greeter", undefined)).status, 204)
      notFound(yield* send(server, "DELETE", "/agents/greeter", undefined), "Agent not found")
      notFound(yield* patch({ name: "a" }), "Agent not found")
      notFound(yield* get(server, "/components/greeter"))
      failed(yield* post(server, "/agents", body), 409, "CONFLICT", "Component greeter already exists")
    }))

  it.effect("a change as a draft does not touch the current version, and later changes edit the draft", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      yield* post(server, "/workflows", { name: "Flow", steps: [] })
      const patch = (fields: object) => send(server, "PATCH", "/workflows/flow", fields)
      const drafted = { current_version: 1, version: 2, stage: "draft" }
      assert.deepInclude((yield* patch({ store_events: true, stage: "draft" })).json as object, drafted)
      assert.deepInclude((yield* patch({ stream_executor_events: true, stage: "draft" })).json as object, drafted)
      assert.deepStrictEqual(yield* configOf(server, "flow", 2), {
        steps: [],
        store_events: true,
        stream_executor_events: true
      })
      assert.deepInclude((yield* patch({ store_events: true })).json as object, drafted)
      const published = { current_version: 2, version: 2, stage: "published" }
      assert.deepInclude((yield* patch({ store_events: false, stage: "published" })).json as object, published)
      yield* post(server, "/components/flow/configs/1/set-current", {})
      // the change is one of the version that is current after a rollback
      assert.deepInclude((yield* patch({ input_schema: {} })).json as object, { version: 3 })
      assert.deepStrictEqual(yield* configOf(server, "flow", 3), { steps: [], input_schema: {} })
    }))

  it.effect("a name, a description and metadata change the component, and neither make nor publish a version", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      yield* post(server, "/agents", { name: "Greeter", instructions: "Greet" })
      const patch = (fields: object) => send(server, "PATCH", "/agents/greeter", fields)
      const fields = { name: "Host", description: "d", metadata: { a: 1 } }
      for (const body of [{}, fields, { stage: null, label: null }]) {
        const published = { current_version: 1, version: 1, stage: "published" }
        assert.deepInclude((yield* patch(body)).json as object, published)
      }
      yield* patch({ instructions: "Unfinished", stage: "draft" })
      const drafted = { current_version: 1, version: 2, stage: "draft" }
      for (const body of [{}, { description: "e" }, { notes: "n" }, { markdown: true }]) {
        assert.deepInclude((yield* patch(body)).json as object, drafted)
      }
      assert.deepInclude((yield* get(server, "/components/greeter")).json as object, { name: "Host", description: "e" })
      const versions = (yield* get(server, "/components/greeter/configs")).json
      assert.deepStrictEqual(column(versions, "stage"), ["draft", "published"])
      assert.deepStrictEqual(yield* configOf(server, "greeter", 2), { instructions: "Unfinished", markdown: true })
    }))

  it.effect("changes at the same time are made one after the other", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      yield* post(server, "/agents", { name: "Many" })
      const keys = ["markdown", "reasoning", "store_events", "use_json_mode"]
      const patch = (key: string) => send(server, "PATCH", "/agents/many", { [key]: true })
      const answers = yield* Effect.all(keys.map(patch), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 200])
      assert.deepStrictEqual(yield* configOf(server, "many", 5), Object.fromEntries(keys.map((key) => [key, true])))
      const more = Array.from({ length: 40 }, (_, index) => ({ metadata: { index }, tool_call_limit: index + 1 }))
      const all = yield* Effect.all(more.map((body) => send(server, "PATCH", "/agents/many", body)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], [200])
      const versions = all.map(({ json }) => Number(at(json, "version"))).sort((one, other) => one - other)
      assert.deepStrictEqual(versions, more.map((_, index) => index + 6))
    }))

  it.effect("registered components and components of another kind are not changed", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [Agent.make({ id: "coder" })] })
      const conflict = (answer: Parameters<typeof failed>[0]) =>
        failed(answer, 409, "CONFLICT", /is registered in code/)
      conflict(yield* post(server, "/agents", { name: "Coder" }))
      conflict(yield* send(server, "PATCH", "/agents/coder", { name: "a" }))
      conflict(yield* send(server, "DELETE", "/agents/coder", undefined))
      yield* post(server, "/teams", { name: "Crew", members: [{ type: "agent", agent_id: "coder" }] })
      notFound(yield* send(server, "PATCH", "/agents/crew", { name: "a" }), "Agent not found")
      notFound(yield* send(server, "DELETE", "/workflows/crew", undefined), "Workflow not found")
      badRequest(
        yield* send(server, "PATCH", "/teams/crew", { members: [{ type: "agent", agent_id: "none" }] }),
        /^Cannot create team 'Crew': the following members could not be resolved: none\./
      )
      assert.deepInclude((yield* send(server, "PATCH", "/teams/crew", { members: [] })).json as object, { version: 2 })
    }))

  it.effect("what is not valid in a definition is refused", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      invalid(yield* post(server, "/agents", { model: "demo" }), [["body", "name"], "missing"])
      invalid(yield* post(server, "/agents", { name: "日本" }), [["body", "id"], "missing"])
      badRequest(yield* post(server, "/agents", { name: "a", stage: "final" }), "Invalid stage: final")
    }))

  it.effect("an invalid option of a config is refused with the sentence and the type that other fields have", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const problemsOf = (path: string, config: object) =>
        Effect.map(post(server, path, { name: "Bad", ...config }), ({ json }) => at(json, "errors"))
      const problem = (loc: ReadonlyArray<string | number>, msg: string, type: string) => ({
        loc: ["body", ...loc],
        msg,
        type
      })
      assert.deepStrictEqual(
        yield* problemsOf("/agents", { instruction: "Greet", memory: { foo: 1 }, markdown: "yes" }),
        [
          problem(["instruction"], "Extra inputs are not permitted", "extra_forbidden"),
          problem(["memory", "foo"], "Extra inputs are not permitted", "extra_forbidden"),
          problem(["markdown"], "Input should be a valid boolean", "bool_type")
        ]
      )
      assert.deepStrictEqual(yield* problemsOf("/teams", { mode: "alone" }), [
        problem(["mode"], "Input should be 'coordinate', 'route', 'broadcast' or 'tasks'", "enum")
      ])
      const types = "'Steps', 'Parallel', 'Loop', 'ForEach', 'Condition', 'Router' or 'Step'"
      assert.deepStrictEqual(yield* problemsOf("/workflows", { steps: [{ type: "Lop" }, { agent_id: "a" }] }), [
        problem(["steps", 0], `Input should be an object with 'type' ${types}`, "union_tag_invalid"),
        problem(["steps", 1, "name"], "Field required", "missing")
      ])
    }))

  it.effect("a scope for one agent allows to change and to delete that agent only", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = (...scopes: ReadonlyArray<string>) =>
        Effect.map(token("ann", ...scopes), (bearer) => (method: string, path: string, body?: object) =>
          call(server, { path, init: body === undefined ? { method } : json(method, body) }, bearer))
      const [admin, mine] = [yield* bearer("agents:write"), yield* bearer("agents:one:write", "agents:one:delete")]
      for (const name of ["one", "two"]) {
        assert.strictEqual((yield* admin("POST", "/agents", { name })).status, 201)
      }
      assert.strictEqual((yield* mine("POST", "/agents", { name: "three" })).status, 403)
      assert.strictEqual((yield* mine("PATCH", "/agents/one", { role: "a" })).status, 200)
      assert.strictEqual((yield* mine("PATCH", "/agents/two", { role: "a" })).status, 403)
      assert.strictEqual((yield* admin("DELETE", "/agents/one")).status, 403)
      assert.strictEqual((yield* mine("DELETE", "/agents/two")).status, 403)
      assert.strictEqual((yield* mine("DELETE", "/agents/one")).status, 204)
    }))
})
