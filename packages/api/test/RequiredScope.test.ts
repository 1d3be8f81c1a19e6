// Every endpoint says which scope it needs, and says what the specification says. The table is written down here by hand,
// out of the specification; the code is read by reflection.
import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../src/Api.ts"
import { RequiredScope } from "../src/RequiredScope.ts"

const declared = () => {
  const found: Record<string, RequiredScope | undefined> = {}
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      found[`${endpoint.method} ${endpoint.path}`] = Context.get(endpoint.annotations, RequiredScope)
    }
  })
  return found
}

/** Authentication, rule 6: these are excluded from authorization. */
const open = ["GET /", "GET /health", "GET /info"]

/** The table of the specification, for the endpoints that exist; a path segment that names something is `*`. */
const specified: Readonly<Record<string, ReadonlyArray<string>>> = {
  "config:read": ["GET /config", "GET /models"],
  "agents:read": ["GET /agents", "GET /agents/*"],
  "agents:run": ["POST /agents/*/runs"],
  "sessions:read": ["GET /sessions", "GET /sessions/*"],
  "sessions:write": ["POST /sessions", "POST /sessions/*/rename", "PATCH /sessions/*"],
  "sessions:delete": ["DELETE /sessions", "DELETE /sessions/*"]
}

/** Beyond the table (contract resources §0.2, runs §1.1, decisions 8): reading needs the scope to read. */
const beyond: Readonly<Record<string, ReadonlyArray<string>>> = {
  "agents:read": ["GET /agents/*/runs", "GET /agents/*/runs/*"],
  "sessions:read": ["GET /sessions/*/runs", "GET /sessions/*/runs/*"]
}

const expected = (): Record<string, string> =>
  Object.fromEntries([
    ...open.map((route) => [route, "none"]),
    ...[specified, beyond].flatMap((table) =>
      Object.entries(table).flatMap(([scope, routes]) => routes.map((route) => [route, scope]))
    )
  ])

describe("scopes", () => {
  it("every endpoint has one, or says that it needs none", () => {
    const forgotten = Object.entries(declared()).filter(([, scope]) => scope === undefined).map(([route]) => route)
    assert.deepStrictEqual(forgotten, [])
  })

  it("are those of the specification", () => {
    const routes = Object.fromEntries(
      Object.entries(declared()).map(([route, scope]) => [route.replace(/:\w+/g, "*"), scope])
    )
    assert.deepStrictEqual<unknown>(routes, expected())
  })
})
