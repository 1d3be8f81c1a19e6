// The migrations that were shipped, and the tables that they make. Those of a feature are in `test/stores.ts` of its
// folder.
import { ofFeatures } from "@svc-runtime/test-support/stores/AllStores"

/** The names of the migrations of each set, in the order of their versions. */
export const history: Record<string, Array<string>> = {
  engine: ["tables", "branches", "usage", "waiting", "versions", "delayedJobs", "additions"],
  accounts: ["tables", "requests", "tenants"],
  media: ["tables"],
  ...Object.assign({}, ...ofFeatures.map(({ history }) => history))
}

export const tables: Array<string> = [
  "svc_approvals",
  "svc_audit",
  "svc_changed_days",
  "svc_components",
  "svc_daily_jobs",
  "svc_ended_runs",
  "svc_idempotency",
  "svc_jobs",
  "svc_large_texts",
  "svc_leases",
  "svc_media",
  "svc_memory_settings",
  "svc_messages",
  "svc_migrations",
  "svc_nodes",
  "svc_oauth_clients",
  "svc_oauth_grants",
  "svc_oauth_requests",
  "svc_oauth_tokens",
  "svc_run_event_folds",
  "svc_run_events",
  "svc_run_journal",
  "svc_run_starts",
  "svc_runs",
  "svc_service_accounts",
  "svc_sessions",
  "svc_usage_hours",
  ...ofFeatures.flatMap(({ tables }) => tables)
].toSorted()
