// Callers with and without a tenant, for tests of tenants.
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, claims, closed, serveClosed, theIssuer } from "../authorization/Closed.ts"

const json = { "content-type": "application/json" }

export const send = (server: TestServer.TestServer, method: string, path: string, bearer: string, body?: object) =>
  call(server, {
    path,
    init: { method, headers: json, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  }, bearer)

export const read = (server: TestServer.TestServer, path: string, bearer: string) => call(server, { path }, bearer)

export const rights: ReadonlyArray<string> = [
  "agents:run",
  "agents:read",
  "sessions:read",
  "sessions:write",
  "sessions:delete",
  "memories:read"
]

export const admin: ReadonlyArray<string> = ["platform:admin"]

/** The tenant is in the claim `org.id`. */
export const signed = (sub: string | undefined, tenant: unknown, scopes: ReadonlyArray<string> = rights) =>
  Effect.flatMap(
    theIssuer,
    (issuer) => issuer.sign({ ...claims(sub, scopes), ...(tenant === undefined ? {} : { org: { id: tenant } }) })
  )

export const serveTenants = (options: TestServer.Options = {}) =>
  Effect.gen(function*() {
    return yield* serveClosed({ ...options, authorization: { ...yield* closed, tenantClaim: "org.id" } })
  })
