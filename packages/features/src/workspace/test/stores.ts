// The store of workspaces, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WorkspaceStore } from "../WorkspaceStore.ts"
import { changes, file, quota } from "./WorkspaceStoreSuite.ts"

export const stores: CheckedStores = {
  history: { workspace: ["tables"] },
  tables: ["svc_workspace_files", "svc_workspaces"],
  fill: Effect.fnUntraced(function*(rows) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into svc_workspaces (session_id, revision, updated_at)
      select 'session-' || number, 1, 1 from generate_series(1, ${rows}::int) as number`
    yield* sql`
      insert into svc_workspace_files (session_id, path, hash, size, executable, updated_at, content)
      select 'session-' || number, 'a', 'hash', 1, false, 1, 'a' from generate_series(1, ${rows}::int) as number`
  }),
  calls: Effect.map(WorkspaceStore, (workspaces) => {
    const owner = Owner.user(userId())
    return {
      "workspaces.state": workspaces.state(sessionId("session-7"), owner),
      "workspaces.read": workspaces.read(sessionId("session-7"), "a", owner),
      "workspaces.save": workspaces.save(sessionId("session-7"), changes([file("a")], ["b"]), quota, owner),
      "workspaces.copySession": workspaces.copySession(sessionId("session-7"), sessionId("session-8"))
    }
  })
}
