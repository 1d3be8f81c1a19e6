// The store of roles, for the tests that call all stores.
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RoleStore } from "../RoleStore.ts"
import * as RoleStoreSuite from "./RoleStoreSuite.ts"

const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_roles (name, description, scopes, created_at)
    select 'role-' || number, '', '["sessions:read"]', 1 from generate_series(1, 100) as number`
})

const calls = Effect.gen(function*() {
  const roles = yield* RoleStore
  const one = RoleStoreSuite.role()
  return {
    "roles.all": roles.all,
    "roles.find": roles.find(one.name),
    "roles.create": roles.create(one, 10_000),
    "roles.replace": roles.replace(one, one),
    "roles.remove": roles.remove(one)
  }
})

export const stores: CheckedStores = {
  history: { roles: ["tables"] },
  tables: ["svc_roles"],
  calls,
  fill: () => fill,
  unbounded: {
    "roles.all": "reads all roles, of which there are at most 500"
  },
  small: ["svc_roles"]
}
