// Requests about service accounts.
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, token } from "../authorization/Closed.ts"

export const admin = token("root", "platform:admin")

export const post = Effect.fnUntraced(function*(server: TestServer.TestServer, body: unknown, bearer?: string) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body)
  }
  return yield* call(server, { path: "/service-accounts", init }, bearer ?? (yield* admin))
})

export const get = Effect.fnUntraced(function*(server: TestServer.TestServer, query = "") {
  return yield* call(server, { path: `/service-accounts${query}` }, yield* admin)
})

export const revoke = Effect.fnUntraced(function*(server: TestServer.TestServer, id: string) {
  return yield* call(server, { path: `/service-accounts/${id}`, init: { method: "DELETE" } }, yield* admin)
})

export const keys = [
  "id",
  "name",
  "principal",
  "user_id",
  "token_prefix",
  "scopes",
  "created_at",
  "expires_at",
  "last_used_at",
  "revoked_at",
  "created_by",
  "declared"
]
