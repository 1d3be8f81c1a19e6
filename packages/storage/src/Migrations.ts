// The schema of the database, as an append-only list of migrations: a released migration never changes. Several
// processes can start on one database at the same time: the first one migrates and the others wait.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { orUnavailable } from "./internal/orUnavailable.ts"
import sessions from "./migrations/0001_sessions.ts"
import runs from "./migrations/0002_runs.ts"
import serviceAccounts from "./migrations/0003_service_accounts.ts"
import cancel from "./migrations/0004_cancel.ts"
import idempotency from "./migrations/0005_idempotency.ts"
import journal from "./migrations/0006_journal.ts"
import approvals from "./migrations/0007_approvals.ts"
import turns from "./migrations/0008_turns.ts"
import copiedMembers from "./migrations/0009_copied_members.ts"
import membersMemory from "./migrations/0010_members_memory.ts"
import pendingResumes from "./migrations/0011_untold_approvals.ts"
import leases from "./migrations/0012_leases.ts"
import nodes from "./migrations/0013_nodes.ts"
import runEnds from "./migrations/0015_run_ends.ts"
import lists from "./migrations/0016_lists.ts"
import largeTexts from "./migrations/0017_large_texts.ts"
import accountNames from "./migrations/0018_account_names.ts"
import resumedRuns from "./migrations/0019_resumed_runs.ts"
import retention from "./migrations/0020_retention.ts"
import sessionNames from "./migrations/0034_session_names.ts"
import approvalRoots from "./migrations/0042_approval_roots.ts"
import jobs from "./migrations/0045_jobs.ts"
import journalMarks from "./migrations/0056_journal_marks.ts"
import columnNames from "./migrations/0066_column_names.ts"

/** The schema of the tables. `migrations` records the executed migrations. */
export const tables = {
  sessions: "svc_sessions",
  runs: "svc_runs",
  messages: "svc_messages",
  events: "svc_run_events",
  eventFolds: "svc_run_event_folds",
  journal: "svc_run_journal",
  largeTexts: "svc_large_texts",
  nodes: "svc_nodes",
  leases: "svc_leases",
  serviceAccounts: "svc_service_accounts",
  audit: "svc_audit",
  idempotency: "svc_idempotency",
  approvals: "svc_approvals",
  jobs: "svc_jobs",
  migrations: "svc_migrations"
} as const

export const loader = Migrator.fromRecord({
  "0001_sessions": sessions,
  "0002_runs": runs,
  "0003_service_accounts": serviceAccounts,
  "0004_cancel": cancel,
  "0005_idempotency": idempotency,
  "0006_journal": journal,
  "0007_approvals": approvals,
  "0008_turns": turns,
  "0009_copied_members": copiedMembers,
  "0010_members_memory": membersMemory,
  "0011_untold_approvals": pendingResumes,
  "0012_leases": leases,
  "0013_nodes": nodes,
  "0015_run_ends": runEnds,
  "0016_lists": lists,
  "0017_large_texts": largeTexts,
  "0018_account_names": accountNames,
  "0019_resumed_runs": resumedRuns,
  "0020_retention": retention,
  "0034_session_names": sessionNames,
  "0042_approval_roots": approvalRoots,
  "0045_jobs": jobs,
  "0056_journal_marks": journalMarks,
  "0066_column_names": columnNames
})

/** A newer version of the service has migrated the database: this version could not read its data. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `The database was changed by a newer version of the service: it is at migration ${this.found}, and this ` +
      `version knows migrations up to ${this.known}. Start a version at least as new as the one that changed it.`
  }
}

const refuseNewer = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const known = Math.max(...(yield* loader).map(([id]) => id))
  const [row] = yield* sql<{ readonly found: number | null }>`
    select max(migration_id)::int as found from ${sql(tables.migrations)}`
  const found = row?.found ?? 0
  if (found > known) return yield* new SchemaTooNew({ found, known })
})

/** Executes the missing migrations and returns them. The database of a newer version is not changed. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = orUnavailable(Effect.tap(Migrator.make({})({ loader, table: tables.migrations }), () => refuseNewer))

export const layer: Layer.Layer<
  never,
  Migrator.MigrationError | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = Layer.effectDiscard(run)
