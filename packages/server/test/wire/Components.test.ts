// Stored components on the wire: their versions, what is refused, and the texts of the refusals.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveOpen } from "../authorization/Closed.ts"
import { at, badRequest, column, failed, get, hasKeys, invalid, list, notFound, post, send, serve } from "../Wire.ts"

Tier.oneIn(6)

const made = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object = {}) {
  const { json, status, text } = yield* post(server, "/components", {
    name: `Greeter ${crypto.randomUUID()}`,
    component_type: "agent",
    ...body
  })
  assert.strictEqual(status, 201, text)
  const id = String(at(json, "component_id"))
  return { id, path: `/components/${id}`, json }
})

const versions = (server: TestServer.TestServer, path: string, query = "") =>
  Effect.map(get(server, `${path}/configs${query}`), ({ json }) => list(json))

describe("components", () => {
  it.effect("a component gets its id of its name, and its first version is current if it is published", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json } = yield* made(server, { name: "My Agent_X", config: { instructions: "Greet" }, set_current: true })
      hasKeys(json, "component_id", "component_type", "created_at", "name")
      assert.deepInclude(json as object, { component_id: "my-agent-x", component_type: "agent", name: "My Agent_X" })
      badRequest(
        yield* post(server, "/components", { name: "My Agent_X", component_type: "team" }),
        "Component my-agent-x already exists"
      )
      const published = yield* made(server, {
        stage: "published",
        label: "first",
        description: "d",
        metadata: { a: 1 }
      })
      assert.deepInclude(published.json as object, { current_version: 1, description: "d", metadata: { a: 1 } })
      assert.deepStrictEqual((yield* get(server, published.path)).json, published.json)
      const [config] = yield* versions(server, published.path)
      hasKeys(config, "component_id", "config", "created_at", "label", "stage", "version")
      assert.deepInclude(config as object, { version: 1, stage: "published", label: "first", config: {} })
    }))

  it.effect("versions are drafted, published, rolled back and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { id, path } = yield* made(server)
      const current = Effect.map(get(server, path), ({ json }) => at(json, "current_version"))
      const currentConfig = Effect.map(get(server, `${path}/configs/current`), ({ json }) => at(json, "version"))
      const second = yield* post(server, `${path}/configs`, {
        config: { metadata: { a: 2 } },
        version: 9,
        label: "b",
        notes: "n"
      })
      assert.strictEqual(second.status, 201)
      assert.deepInclude(second.json as object, {
        version: 2,
        stage: "draft",
        config: { metadata: { a: 2 } },
        label: "b",
        notes: "n"
      })
      assert.isUndefined(yield* current)
      assert.strictEqual(yield* currentConfig, 2)
      badRequest(
        yield* post(server, `${path}/configs/2/set-current`, {}),
        `Cannot set draft config ${id} v2 as current. Only published configs can be current.`
      )
      const published = yield* send(server, "PATCH", `${path}/configs/2`, { stage: "published", notes: null })
      assert.deepInclude(published.json as object, { stage: "published", notes: "n", config: { metadata: { a: 2 } } })
      assert.strictEqual(yield* current, 2)
      for (const body of [{ notes: "x" }, { config: { model: 5 } }]) {
        badRequest(
          yield* send(server, "PATCH", `${path}/configs/2`, body),
          `Cannot update published config ${id} v2`
        )
        badRequest(yield* send(server, "PATCH", `${path}/configs/9`, body), `Config ${id} v9 not found`)
      }
      yield* post(server, `${path}/configs`, { config: { metadata: { a: 3 } }, stage: "published" })
      assert.strictEqual(yield* current, 3)
      assert.deepStrictEqual(column(yield* versions(server, path), "version"), [3, 2, 1])
      const [newest] = yield* versions(server, path, "?include_config=false")
      hasKeys(newest, "component_id", "created_at", "stage", "version")
      const rolledBack = yield* post(server, `${path}/configs/2/set-current`, {})
      assert.deepInclude(rolledBack.json as object, { component_id: id, current_version: 2 })
      assert.strictEqual(yield* currentConfig, 2)
      badRequest(
        yield* send(server, "DELETE", `${path}/configs/2`, undefined),
        `Cannot delete current config ${id} v2`
      )
      assert.strictEqual((yield* send(server, "DELETE", `${path}/configs/3`, undefined)).status, 204)
      notFound(yield* send(server, "DELETE", `${path}/configs/3`, undefined), `Config ${id} v3 not found`)
      notFound(yield* get(server, `${path}/configs/3`), `Config ${id} v3 not found`)
      assert.deepInclude((yield* get(server, `${path}/configs/2`)).json as object, {
        version: 2,
        config: { metadata: { a: 2 } }
      })
    }))

  it.effect("a component is renamed, pointed at a published version, and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { id, path } = yield* made(server, { description: "old", stage: "published" })
      const patch = (body: object) => send(server, "PATCH", path, body)
      assert.deepInclude((yield* patch({ name: "New", description: null, current_version: null })).json as object, {
        name: "New",
        description: "old",
        current_version: 1
      })
      badRequest(yield* patch({ component_type: "robot" }), "'robot' is not a valid ComponentType")
      badRequest(yield* patch({ current_version: 7 }), `Config ${id} v7 not found`)
      yield* post(server, `${path}/configs`, { config: {} })
      badRequest(
        yield* patch({ current_version: 2 }),
        `Cannot set draft config ${id} v2 as current. Only published configs can be current.`
      )
      for (const _ of [1, 2]) assert.strictEqual((yield* send(server, "DELETE", path, undefined)).status, 204)
      notFound(yield* get(server, path), `Component ${id} not found`)
      notFound(yield* patch({ name: "a" }), `Component ${id} not found`)
      badRequest(yield* post(server, `${path}/configs`, { config: {} }), `Component ${id} not found`)
      notFound(yield* get(server, `${path}/configs/current`), `No current config for ${id}`)
      notFound(
        yield* post(server, `${path}/configs/1/set-current`, {}),
        `Component ${id} or config version 1 not found`
      )
      badRequest(yield* send(server, "PATCH", `${path}/configs/1`, { notes: "a" }), `Config ${id} v1 not found`)
      assert.deepStrictEqual(yield* versions(server, path), [])
      badRequest(
        yield* post(server, "/components", { name: "a", component_id: id, component_type: "agent" }),
        `Component ${id} already exists`
      )
      notFound(yield* send(server, "DELETE", "/components/never", undefined), "Component never not found")
    }))

  it.effect("stages, labels and links that are wrong are refused with their names", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { id, path } = yield* made(server, { label: "one" })
      const add = (body: object) => post(server, `${path}/configs`, { config: {}, ...body })
      const link = { link_kind: "member", link_key: "member_0", child_component_id: "child", position: 0 }
      badRequest(yield* add({ stage: "final" }), "Invalid stage: final")
      badRequest(yield* send(server, "PATCH", `${path}/configs/1`, { stage: "final" }), "Invalid stage: final")
      badRequest(
        yield* post(server, "/components", { name: "a", component_type: "agent", stage: "final" }),
        "Invalid stage: final"
      )
      badRequest(yield* add({ label: "one" }), `Label 'one' already exists for ${id}`)
      badRequest(yield* add({ links: [link] }), "child_version is required for link to child")
      const linked = { ...link, child_version: 1 }
      badRequest(yield* add({ links: [linked, linked] }), "Two links have the kind 'member' and the key 'member_0'")
      badRequest(yield* add({ links: [linked] }), /^Config .* v1 not found$/)
      const child = yield* made(server)
      assert.strictEqual((yield* add({ links: [{ ...linked, child_component_id: child.id }] })).status, 201)
    }))

  it.effect("what is not valid in itself is refused with the field", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const create = (body: object) => post(server, "/components", { name: "a", component_type: "agent", ...body })
      invalid(yield* create({ component_type: "robot" }), [["body", "component_type"], "enum"])
      invalid(yield* create({ name: "" }), [["body", "name"], "string_too_short"])
      invalid(yield* create({ component_id: "../x" }), [["body", "component_id"], "string_pattern_mismatch"])
      invalid(yield* create({ metadata: { text: "a".repeat(70_000) } }), [["body", "metadata"], "json_too_long"])
      invalid(yield* create({ config: [] }), [["body", "config"], "dict_type"])
      invalid(yield* create({ name: "日本" }), [["body", "component_id"], "missing"])
      invalid(yield* get(server, "/components?component_type=robot"), [["query", "component_type"], "enum"])
      invalid(yield* get(server, "/components?limit=101"), [["query", "limit"], "less_than_equal"])
      invalid(yield* get(server, "/components/a/configs/first"), [["path", "version"], "int_parsing"])
      invalid(yield* get(server, "/components/a/configs/99999999999"), [["path", "version"], "less_than_equal"])
      notFound(yield* get(server, "/components/a/configs/0"), "Config a v0 not found")
      notFound(yield* get(server, "/components/%00"))
    }))

  it.effect("registered components are left out of the list, and their ids are taken", () =>
    Effect.gen(function*() {
      const agent = Agent.make({ id: "coder" })
      const server = yield* serve({ agents: [agent] })
      failed(
        yield* post(server, "/components", { name: "Coder", component_type: "agent" }),
        400,
        "BAD_REQUEST",
        "Component coder already exists"
      )
      const [one, two] = [yield* made(server), yield* made(server, { component_type: "workflow" })]
      const listed = yield* get(server, "/components")
      assert.sameMembers([...column(list(listed.json, "data"), "component_id")], [one.id, two.id])
      hasKeys(at(listed.json, "meta"), "limit", "page", "search_time_ms", "total_count", "total_pages")
      const workflows = yield* get(server, "/components?component_type=workflow")
      assert.deepStrictEqual(column(list(workflows.json, "data"), "component_id"), [two.id])
    }))

  it.effect("a team is linked to the current versions of its stored members", () =>
    Effect.gen(function*() {
      const agent = Agent.make({ id: "coder" })
      const server = yield* serve({ agents: [agent] })
      const draft = yield* made(server)
      const team = (members: ReadonlyArray<object>) =>
        post(server, "/components", { name: "The team", component_type: "team", config: { members } })
      badRequest(
        yield* team([{ type: "agent", agent_id: draft.id }, { type: "team", team_id: "coder" }]),
        `Cannot create team 'The team': the following members could not be resolved: ${draft.id}, coder. ` +
          "Referenced agents/teams must exist as components or be registered with the Svc instance."
      )
      yield* send(server, "PATCH", `${draft.path}/configs/1`, { stage: "published" })
      const members = [{ type: "agent", agent_id: "coder" }, { type: "agent", agent_id: draft.id }]
      assert.strictEqual((yield* team(members)).status, 201)
    }))

  it.effect("a config keeps the id of a database and the names of its tables, and nothing else of it", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const db_id = at((yield* get(server, "/config")).json, "databases", 0)
      const known = { id: db_id, db_url: "postgres://secret", session_table: "mine" }
      const { path } = yield* made(server, { config: { db: known, model: "demo" } })
      const config = (version: number) =>
        Effect.map(get(server, `${path}/configs/${version}`), ({ json }) => at(json, "config"))
      assert.deepStrictEqual(yield* config(1), { model: "demo", db: { id: db_id, session_table: "mine" } })
      yield* post(server, `${path}/configs`, { config: { db: null, role: "a" } })
      assert.deepStrictEqual(yield* config(2), { role: "a" })
    }))

  it.effect("a config that names another database than the service's own is refused with the path", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: ["main-db", "north-db"] })
      const saved = (config: object) => post(server, "/components", { name: "A", component_type: "agent", config })
      const texts = [
        ["other", "There is no database 'other'. Runs of stored components are in the database 'main-db'"],
        [
          "north-db",
          "Runs of stored components are in the database 'main-db'. Only a component in code can have the database " +
          "'north-db'"
        ]
      ] as const
      for (const [id, text] of texts) {
        const refused = yield* saved({ db: { id } })
        invalid(refused, [["body", "config", "db", "id"], "value_error"])
        assert.strictEqual(at(refused.json, "errors", 0, "msg"), text)
      }
      invalid(yield* saved({ db: { session_table: "mine" } }), [["body", "config", "db", "id"], "missing"])
      invalid(yield* saved({ db: "main-db" }), [["body", "config", "db"], "dict_type"])
      assert.strictEqual((yield* saved({ db: { id: "main-db" } })).status, 201)
    }))
})
