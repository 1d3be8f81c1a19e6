// Which scopes a path needs. One `*` is
// one segment, and however a path is spelled it is read as the router reads it.
import { assert, describe, it } from "@effect/vitest"
import * as Scope from "@svc-runtime/domain/Scope"
import * as Features from "@svc-runtime/features/features"
import * as ScopeMappings from "@svc-runtime/http/authorization/ScopeMappings"
import * as ScopeTable from "@svc-runtime/http/authorization/ScopeTable"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import { Result } from "effect"
import * as Protocols from "../../src/Protocols.ts"

const table = (mappings: ScopeMappings.ScopeMappings = {}, protocols = defaultProtocols) =>
  ScopeTable.make(
    Features.apiOf(Features.features),
    Result.getOrThrow(ScopeMappings.decode(mappings, Scope.defaultAdmin)),
    Protocols.routesOf(protocols)
  )

const scopesOf = (found: ScopeTable.Requirement | undefined) => found?.scopes

describe("the default table", () => {
  const { requirement } = table()

  it.each<readonly [string, string, ReadonlyArray<string> | undefined]>([
    ["GET", "/agents", ["agents:read"]],
    ["GET", "/agents/", ["agents:read"]],
    ["GET", "/agents/x", ["agents:read"]],
    ["HEAD", "/agents/x", ["agents:read"]],
    ["POST", "/agents/x/runs", ["agents:run"]],
    ["POST", "/agents/x/runs?stream=false", ["agents:run"]],
    ["GET", "/sessions/s", ["sessions:read"]],
    ["GET", "/sessions/s#x", ["sessions:read"]],
    ["GET", "/sessions/s;x=1", ["sessions:read"]],
    ["GET", "/%73essions/s", ["sessions:read"]],
    ["GET", "/sessions/a%2Fb", ["sessions:read"]],
    ["GET", "//sessions//s", ["sessions:read"]],
    ["DELETE", "/sessions", ["sessions:delete"]],
    ["GET", "/health", []],
    ["POST", "/agents", ["agents:write"]],
    ["PATCH", "/teams/x", ["teams:write"]],
    ["DELETE", "/workflows/x", ["workflows:delete"]],
    ["GET", "/memories", ["memories:read"]],
    ["POST", "/components/x/configs/1/set-current", ["components:write"]],
    ["POST", "/schedules/x/trigger", ["schedules:write"]],
    ["POST", "/a2a/agents/x/v1/message:send", ["agents:run"]],
    ["POST", "/a2a/agents/x/v1/messages", undefined],
    ["POST", "/a2a/teams/x", []],
    ["POST", "/a2a/teams/x/message:stream", ["teams:run"]],
    ["GET", "/a2a/teams/x/tasks/1:subscribe", ["teams:read"]],
    ["POST", "/a2a/teams/x/tasks/1:cancel", []],
    ["DELETE", "/a2a/workflows/x/v1/tasks/1/pushNotificationConfigs/2", ["workflows:run"]],
    ["GET", "/a2a/workflows/x/.well-known/agent-card.json", ["workflows:read"]],
    ["POST", "/a2a/message/send", ["agents:run"]],
    ["GET", "/agents/x/y/z", undefined],
    ["PUT", "/agents/x", undefined],
    ["GET", "/Agents", undefined],
    ["GET", "/unknown", undefined]
  ])("the route %s %s needs %j", (method, url, expected) => {
    assert.deepStrictEqual(scopesOf(requirement(method, url)), expected)
  })

  it("A2A under another prefix needs the same scopes of the same components", () => {
    const a2a = { ...defaultProtocols.a2a, prefix: "/net/a2a" }
    const moved = table({}, { ...defaultProtocols, a2a }).requirement
    const ofKind = ["GET .well-known/agent-card.json", "POST v1/message:send", "POST v1/message:stream"]
    const ofTasks = ["POST v1/tasks:get", "POST v1/tasks:cancel"]
    const all = ["agents", "teams", "workflows"].flatMap((kind) =>
      (kind === "workflows" ? ofKind : [...ofKind, ...ofTasks]).map((route) => route.replace(" ", ` /${kind}/x/`))
    )
    for (const [method = "", path] of [...all, "POST /message/send"].map((route) => route.split(" "))) {
      const expected = requirement(method, `/a2a${path}`)
      assert.strictEqual(scopesOf(expected)?.length, 1, path)
      const found = moved(method, `/net/a2a${path}`)
      assert.deepStrictEqual([scopesOf(found), found?.target], [scopesOf(expected), expected?.target], path)
      assert.isUndefined(moved(method, `/a2a${path}`), path)
    }
  })

  it("the table knows which resource a path names", () => {
    const about = (url: string, method = "GET") => requirement(method, url)
    assert.deepStrictEqual(about("/agents/a%20b")?.target, { resource: "agents", id: "a b" })
    assert.deepStrictEqual(about("/agents/a%2Fb/runs", "POST")?.target, { resource: "agents", id: "a/b" })
    assert.deepStrictEqual(about("/agents/x", "PATCH")?.target, { resource: "agents", id: "x" })
    assert.deepStrictEqual(about("/a2a/teams/x/v1/tasks:get", "POST")?.target, { resource: "teams", id: "x" })
    assert.isUndefined(about("/sessions/s")?.target)
    assert.strictEqual(about("/agents")?.listed, "agents")
    assert.isUndefined(about("/agents/x")?.listed)
    assert.isUndefined(about("/sessions")?.listed)
  })
})

describe("custom mappings", () => {
  it("a mapping overrides a route of the API by its pattern, whatever the name of its parameter is", () => {
    for (const path of ["/sessions/*", "/sessions/{id}", "/sessions/:anything"]) {
      const { requirement } = table({ [`GET ${path}`]: ["notes:read"] })
      assert.deepStrictEqual(scopesOf(requirement("GET", "/sessions/s")), ["notes:read"])
      assert.deepStrictEqual(scopesOf(requirement("DELETE", "/sessions/s")), ["sessions:delete"])
      assert.deepStrictEqual(scopesOf(requirement("GET", "/sessions/s/runs")), ["sessions:read"])
    }
  })

  it("an empty list opens a route to every authenticated caller", () => {
    assert.deepStrictEqual(scopesOf(table({ "GET /models": [] }).requirement("GET", "/models")), [])
  })

  it("a mapping of one path overrides that of its pattern, however the path is written", () => {
    const { requirement } = table({ "POST /agents/finance/runs": ["agents:run", "finance:use"] })
    for (const path of ["/agents/finance/runs", "/agents/%66inance/runs", "//agents/finance/runs/"]) {
      assert.deepStrictEqual(scopesOf(requirement("POST", path)), ["agents:run", "finance:use"], path)
    }
    assert.deepStrictEqual(scopesOf(requirement("POST", "/agents/other/runs")), ["agents:run"])
    const colon = table({ "GET /agents/a:b": ["special:read"] })
    assert.deepStrictEqual(scopesOf(colon.requirement("GET", "/agents/a:b")), ["special:read"])
    assert.deepStrictEqual(scopesOf(colon.requirement("GET", "/agents/a%3Ab")), ["special:read"])
  })

  it("a mapping names parts of a path, and the more exact one wins", () => {
    const { requirement } = table({
      "POST /agents/*/runs/*/continue": ["agents:run", "any:continue"],
      "POST /agents/finance/runs/*/continue": ["agents:run", "finance:continue"],
      "POST /agents/finance/runs/r/continue": ["agents:run", "one:continue"]
    })
    const needs = (path: string) => scopesOf(requirement("POST", path))?.at(-1)
    assert.strictEqual(needs("/agents/other/runs/r/continue"), "any:continue")
    assert.strictEqual(needs("/agents/finance/runs/s/continue"), "finance:continue")
    assert.strictEqual(needs("/agents/%66inance//runs/s/continue/"), "finance:continue")
    assert.strictEqual(needs("/agents/finance/runs/r/continue"), "one:continue")
    assert.strictEqual(needs("/agents/finance/runs/r/cancel"), "agents:run")
  })

  it("another door to an endpoint needs the mapping of its path, and of each that can be meant", () => {
    const { mapped, native } = table({
      "POST /agents/*/runs": ["agents:run", "any:run"],
      "POST /agents/finance/runs": ["agents:run", "finance:run"]
    }).ofEndpoint("POST /agents/:agent_id/runs")
    assert.deepStrictEqual(native, ["agents:run"])
    assert.deepStrictEqual(mapped({ agent_id: "finance" }), ["agents:run", "finance:run"])
    assert.deepStrictEqual(mapped({ agent_id: "other" }), ["agents:run", "any:run"])
    for (const any of [{}, { agent_id: "*" }]) {
      assert.deepStrictEqual(new Set(mapped(any)), new Set(["agents:run", "any:run", "finance:run"]))
    }
    assert.deepStrictEqual(table().ofEndpoint("GET /config").mapped({}), [])
    assert.throws(() => table().ofEndpoint("GET /nothing"), /no endpoint/)
  })

  it("a mapping can add routes that the API does not have", () => {
    const { requirement } = table({ "GET /reports/{id}": ["reports:read"], "GET /reports/special": ["special:read"] })
    assert.deepStrictEqual(scopesOf(requirement("GET", "/reports/7")), ["reports:read"])
    assert.deepStrictEqual(scopesOf(requirement("GET", "/%72eports/7")), ["reports:read"])
    assert.deepStrictEqual(scopesOf(requirement("HEAD", "/reports/7")), ["reports:read"])
    assert.deepStrictEqual(scopesOf(requirement("GET", "/reports/special")), ["special:read"])
    assert.isUndefined(requirement("GET", "/reports/7/pages"), "a wildcard is one segment")
    assert.isUndefined(requirement("POST", "/reports/7"))
  })

  it("a mapping that is spelled differently from a route of the API does not override it", () => {
    const { requirement } = table({ "GET /*/config": ["x:read"], "GET /{kind}/{id}": ["y:read"] })
    assert.deepStrictEqual(scopesOf(requirement("GET", "/agents/config")), ["agents:read"])
    assert.deepStrictEqual(scopesOf(requirement("GET", "/other/config")), ["x:read"])
    assert.deepStrictEqual(scopesOf(requirement("GET", "/other/thing")), ["y:read"])
  })

  it.each<readonly [string, ScopeMappings.ScopeMappings, RegExp]>([
    ["no method", { "/agents": ["a:b"] }, /is not of the form/],
    ["a method in lower case", { "get /agents": ["a:b"] }, /is not of the form/],
    ["no path", { "GET": ["a:b"] }, /is not of the form/],
    ["a path without a slash", { "GET agents": ["a:b"] }, /is not of the form/],
    ["two paths", { "GET /a /b": ["a:b"] }, /is not of the form/],
    ["a wildcard within a segment", { "GET /agents-*": ["a:b"] }, /wildcard that is not a whole segment/],
    ["a wildcard over several segments", { "GET /agents/**": ["a:b"] }, /wildcard that is not a whole segment/],
    ["half a parameter", { "GET /agents/{id": ["a:b"] }, /wildcard that is not a whole segment/],
    ["what is no scope", { "GET /agents": ["agents"] }, /names what is no scope: agents/],
    ["one route twice", { "GET /x/{a}": ["a:b"], "GET /x/*": ["c:d"] }, /is mapped twice/]
  ])("an invalid mapping stops the start: %s", (_, mappings, expected) => {
    const decoded = ScopeMappings.decode(mappings, Scope.defaultAdmin)
    assert.match(Result.isFailure(decoded) ? decoded.failure : "accepted", expected)
  })
})
