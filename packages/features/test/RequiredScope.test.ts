// Compares the scope of every endpoint, read by reflection, with an independent table.
import { assert, describe, it } from "@effect/vitest"
import { RequiredScope } from "@svc-runtime/api/RequiredScope"
import { RespondsInOutage } from "@svc-runtime/api/RespondsInOutage"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../src/Api.ts"
import { specified } from "./SpecifiedScopes.ts"

const declared = () => {
  const found = new Map<string, RequiredScope | undefined>()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const route = `${endpoint.method} ${endpoint.path.replace(/:\w+/g, "*").replaceAll("::", ":")}`
      found.set(route, Context.get(endpoint.annotations, RequiredScope))
    }
  })
  return found
}

/** Authentication, rule 6: these are excluded from authorization. */
const open = ["GET /", "GET /health", "GET /info", "GET /ready"]

/** About the caller, who needs a credential and no scope. */
const ofCaller = "GET /caller"

/** Endpoints that the table does not have. */
const beyond: ReadonlyMap<string, string> = new Map([
  ["GET /nodes", "metrics:read"],
  ["GET /agents/*/runs", "agents:read"],
  ["GET /agents/*/runs/*", "agents:read"],
  ["GET /agents/*/runs/*/events", "agents:read"],
  ["GET /agents/*/runs/*/checkpoints", "agents:read"],
  ["GET /agents/*/runs/*/checkpoints/*", "agents:read"],
  ["POST /agents/*/sessions/*/fork", "agents:run"],
  ["POST /agents/*/runs/*/resume", "agents:run"],
  ["GET /teams/*/runs", "teams:read"],
  ["GET /teams/*/runs/*", "teams:read"],
  ["GET /teams/*/runs/*/events", "teams:read"],
  ["GET /teams/*/runs/*/checkpoints", "teams:read"],
  ["GET /teams/*/runs/*/checkpoints/*", "teams:read"],
  ["POST /teams/*/sessions/*/fork", "teams:run"],
  ["POST /teams/*/runs/*/resume", "teams:run"],
  ["GET /workflows/*/runs", "workflows:read"],
  ["GET /workflows/*/runs/*", "workflows:read"],
  ["GET /workflows/*/runs/*/events", "workflows:read"],
  ["POST /workflows/*/runs/*/resume", "workflows:run"],
  ["GET /sessions/*/runs", "sessions:read"],
  ["GET /media/*", "sessions:read"],
  ["GET /sessions/*/runs/*", "sessions:read"],
  ["GET /databases/*/migrations", "config:read"],
  ["GET /metrics/prometheus", "metrics:read"],
  ["GET /schedules/next", "schedules:read"],
  ["GET /schedules/*/next", "schedules:read"],
  ["POST /eval-runs/*/cancel", "evals:write"],
  ["GET /runs", "sessions:read"],
  ["POST /runs/*/feedback", "evals:write"],
  ["GET /runs/*/feedback", "evals:read"],
  ["GET /feedback", "evals:read"],
  ["DELETE /feedback/*", "evals:delete"],
  ["GET /datasets", "evals:read"],
  ["POST /datasets", "evals:write"],
  ["GET /datasets/*", "evals:read"],
  ["PATCH /datasets/*", "evals:write"],
  ["DELETE /datasets/*", "evals:delete"],
  ["GET /datasets/*/items", "evals:read"],
  ["POST /datasets/*/items", "evals:write"],
  ["POST /datasets/*/items/from-trace", "evals:write"],
  ["POST /datasets/*/import", "evals:write"],
  ["GET /datasets/*/export", "evals:read"],
  ["GET /experiments", "evals:read"],
  ["POST /experiments", "evals:write"],
  ["GET /experiments/compare", "evals:read"],
  ["GET /experiments/*", "evals:read"],
  ["DELETE /experiments/*", "evals:delete"],
  ["POST /experiments/*/cancel", "evals:write"],
  ["GET /experiments/*/items", "evals:read"],
  ["GET /learnings/users", "learnings:read"],
  ["DELETE /learnings/users/*", "learnings:delete"],
  ["GET /metrics/refresh/status", "metrics:read"],
  ["GET /traces/filter-schema", "traces:read"],
  ["GET /metrics/usage", "metrics:read"],
  ["GET /webhooks", "webhooks:read"],
  ["POST /webhooks", "webhooks:write"],
  ["GET /webhooks/*", "webhooks:read"],
  ["PATCH /webhooks/*", "webhooks:write"],
  ["DELETE /webhooks/*", "webhooks:delete"],
  ["POST /webhooks/*/rotate-secret", "webhooks:write"],
  ["POST /webhooks/*/test", "webhooks:write"],
  ["GET /webhooks/*/deliveries", "webhooks:read"],
  ["GET /webhooks/*/deliveries/*", "webhooks:read"],
  ["POST /webhooks/*/deliveries/*/redeliver", "webhooks:write"]
])

describe("scopes", () => {
  it("every endpoint has a scope, or declares that it needs none", () => {
    assert.deepStrictEqual([...declared()].filter(([, scope]) => scope === undefined).map(([route]) => route), [])
  })

  it("the scopes of the endpoints equal those of the table", () => {
    for (const [route, scope] of declared()) {
      const expected = open.includes(route) || route === ofCaller ? "none" : specified.get(route) ?? beyond.get(route)
      assert.strictEqual(scope, expected, `${route}, whose scope is in SpecifiedScopes.ts or in beyond`)
    }
  })

  it("only the metrics for Prometheus respond to accounts that cannot be looked up in an outage", () => {
    const found: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => {
        if (Context.get(endpoint.annotations, RespondsInOutage)) found.push(`${endpoint.method} ${endpoint.path}`)
      }
    })
    assert.deepStrictEqual(found, ["GET /metrics/prometheus"])
  })

  it("every route except the excluded ones and the one about the caller requires a scope", () => {
    const free = [...declared()].filter(([, scope]) => scope === "none").map(([route]) => route)
    assert.deepStrictEqual(free.toSorted(), [...open, ofCaller].toSorted())
  })
})
