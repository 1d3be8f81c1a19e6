// Compares the endpoints, read by reflection, with what the tests know of them, and with the table of the
// specification.
import { assert, describe, it } from "@effect/vitest"
import { RequiredScope, type ScopeName } from "@svc-runtime/api/RequiredScope"
import { RespondsInOutage } from "@svc-runtime/api/RespondsInOutage"
import * as Scope from "@svc-runtime/domain/Scope"
import { endpoints } from "@svc-runtime/test-support/endpoints/AllEndpoints"
import { isolation } from "@svc-runtime/test-support/endpoints/Checked"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { existsSync, readFileSync } from "node:fs"
import { apiOf, features } from "../src/features.ts"
import { specified } from "./SpecifiedScopes.ts"

const declared = () => {
  const found = new Map<string, ScopeName | undefined>()
  HttpApi.reflect(apiOf(features), {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      found.set(`${endpoint.method} ${endpoint.path}`, Context.getOrUndefined(endpoint.annotations, RequiredScope))
    }
  })
  return found
}

/** Authentication, rule 6: these are excluded from authorization. */
const open = ["GET /", "GET /health", "GET /info", "GET /ready"]

/** Platforms sign their requests, which the adapter of the channel verifies. */
const ofPlatforms = ["GET /channels/:channel_id/events", "POST /channels/:channel_id/events"]

/** About the caller, who needs a credential and no scope. */
const ofCaller = [
  "GET /caller",
  "DELETE /channels/links/:link_id",
  "GET /channels/links",
  "POST /channels/links",
  "POST /channels/links/preview"
]

describe("scopes", () => {
  it("every endpoint has a scope, or declares that it needs none", () => {
    assert.deepStrictEqual([...declared()].filter(([, scope]) => scope === undefined).map(([route]) => route), [])
  })

  it("the tests know all endpoints, with the scopes that these declare", () => {
    const known: Readonly<Record<string, string | undefined>> = Object.fromEntries(
      endpoints.map(({ route, scope }) => [route, scope])
    )
    assert.deepStrictEqual(
      Object.fromEntries<string | undefined>(declared()),
      known,
      "name each endpoint with its scope in test/endpoints.ts of its feature"
    )
  })

  it("each resource is of tenants, is shared by them, or is withheld from them", () => {
    const all = [Scope.ofTenants, Scope.sharedByTenants, Scope.ofService]
    const resources = new Set([...declared().values()].flatMap((scope) => Scope.parse(scope ?? "")?.resource ?? []))
    const others = [...resources].filter((resource) => all.filter((each) => each.has(resource)).length !== 1)
    assert.deepStrictEqual(others, [], "add the resource to one of the lists in domain/src/Scope.ts")
  })

  it("the scopes of the endpoints equal those of the specification", () => {
    for (const [route, scope] of declared()) {
      const expected = specified.get(route.replaceAll(/:\w+/g, "*").replaceAll("::", ":"))
      if (expected !== undefined) assert.strictEqual(scope, expected, route)
    }
  })

  it("each endpoint names a test that calls it, for whose data it is about", () => {
    const root = new URL("../../", import.meta.url)
    const unchecked = endpoints.filter(({ owners, route }) => {
      if (owners === isolation || !owners.includes("/")) return false
      const file = new URL(owners, root)
      const [start = ""] = /^\/[\w-]+/.exec(route.split(" ")[1] ?? "") ?? []
      return !existsSync(file) || !readFileSync(file, "utf8").includes(start)
    })
    assert.deepStrictEqual(unchecked.map(({ owners, route }) => `${route}: ${owners}`), [])
  })

  it("only the metrics for Prometheus respond to accounts that cannot be looked up in an outage", () => {
    const found: Array<string> = []
    HttpApi.reflect(apiOf(features), {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => {
        if (Context.getOrUndefined(endpoint.annotations, RespondsInOutage) === true) {
          found.push(`${endpoint.method} ${endpoint.path}`)
        }
      }
    })
    assert.deepStrictEqual(found, ["GET /metrics/prometheus"])
  })

  it("every route except the excluded ones and those about the caller requires a scope", () => {
    const free = [...declared()].filter(([, scope]) => scope === "none").map(([route]) => route)
    assert.deepStrictEqual(free.toSorted(), [...open, ...ofPlatforms, ...ofCaller].toSorted())
  })
})
