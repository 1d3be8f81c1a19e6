// Runs as rows of a table.
import type { RunItem } from "@svc-runtime/domain/RunItem"
import * as ComponentName from "../service/ComponentName.ts"

export const columns = [
  { title: "Run" },
  { title: "Component" },
  { title: "Status" },
  { title: "Started" },
  { title: "Tokens" },
  { title: "Cost" },
  { title: "Session" },
  { title: "Name", wraps: true }
]

/** `2026-11-21T14:35:07Z` as `2026-11-21 14:35`. */
export const minute = (time: string | null | undefined): string =>
  time === null || time === undefined ? "-" : time.slice(0, 16).replace("T", " ")

export const rowOf = (run: RunItem): ReadonlyArray<string> => [
  run.run_id,
  ComponentName.shownOf(run),
  run.status,
  minute(run.created_at),
  run.total_metrics?.total_tokens?.toString() ?? "-",
  run.total_metrics?.cost === undefined ? "-" : `$${run.total_metrics.cost.toFixed(4)}`,
  run.session_id,
  run.session_name ?? "-"
]
