import type { JsonObject, Svc } from "@svc-runtime/client"
import { useEffect, useMemo, useSyncExternalStore } from "react"
import { ApprovalList, type ApprovalsQuery, type ApprovalsState } from "./ApprovalList.ts"

export interface UseApprovalsOptions {
  readonly client: Svc
  /** Which approvals. Default: the ones that wait for a person. */
  readonly query?: ApprovalsQuery | undefined
  /** Milliseconds between two reads while the page is visible. Default: 5000. */
  readonly pollMillis?: number | undefined
}

export interface UseApprovals extends ApprovalsState {
  /** Approves. Values of fields are `{ values: { name: value } }`. The run continues on the service. */
  readonly approve: (id: string, data?: JsonObject) => Promise<void>
  /** Rejects, with a reason for the model. */
  readonly reject: (id: string, note?: string) => Promise<void>
  /** Reads the list now. */
  readonly refresh: () => Promise<void>
}

/**
 * The approvals that wait for a person. The list is read again every few seconds and after each decision.
 *
 * @example
 * const { approvals, approve, reject } = useApprovals({ client: svc })
 */
export const useApprovals = (
  { client, pollMillis = 5000, query = { status: "pending" } }: UseApprovalsOptions
): UseApprovals => {
  // a client or a query that is made in each render is the same list
  const list = useMemo(() => new ApprovalList(client, query, pollMillis), [JSON.stringify(query), pollMillis])
  useEffect(list.open, [list])
  const state = useSyncExternalStore(list.subscribe, list.state, list.state)
  const { approve, refresh, reject } = list
  return { ...state, approve, refresh, reject }
}
