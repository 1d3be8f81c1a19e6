// The audit log: who changed what.
import type { AuditEntry } from "@svc-runtime/client"
import { Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { info, svc } from "../service/Service.ts"

/** An erasure is stored with what it removes. */
const shownStatus = ({ counts, status }: AuditEntry): string =>
  status !== null ? String(status) : counts === null ? "not known" : ""

const columns: ReadonlyArray<Column<AuditEntry>> = [
  { title: "When", cell: ({ at }) => <Time value={at} /> },
  {
    title: "Who",
    cell: ({ actor, credential }) => actor ?? <span class="quiet">{credential.replaceAll("_", " ")}</span>
  },
  { title: "What", cell: ({ action, path }) => <span title={path ?? undefined}>{action}</span> },
  { title: "Of", cell: ({ subject_id, subject_kind }) => `${subject_kind} ${subject_id}` },
  { title: "Status", cell: shownStatus },
  { title: "Request", cell: ({ request_id }) => request_id === null ? "" : <code>{request_id}</code> }
]

export const AuditPage = () => (
  <ResourceList
    title="Audit log"
    filters={[
      { name: "actor", title: "Who" },
      { name: "subject_kind", title: "Of, such as schedules" },
      { name: "since", title: "Since, such as 2026-11-20" }
    ]}
    load={(paging, filters, signal) => svc().audit.list({ ...paging, ...filters }, { signal })}
    columns={columns}
    keyOf={({ id }) => String(id)}
    empty={info.value?.auth_mode === "none"
      ? "Callers of this service need no credential, so it does not know who changes what."
      : "Each change that a caller makes is listed here."}
  />
)
