// `ApprovalStore` in memory.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Time from "@svc-runtime/domain/Time"
import {
  type ApprovalFilter,
  ApprovalNotFound,
  ApprovalNotPending,
  type ApprovalStore,
  filterable,
  type PendingResume
} from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import type { MemoryDatabase, StoredApproval } from "./MemoryDatabase.ts"

const matches =
  ({ fields = {}, owner, status }: ApprovalFilter, at: Time.EpochSeconds) => (approval: Approval.Approval) =>
    Owner.coversIn(owner, approval) &&
    (status === undefined || Approval.asOf(approval, at).status === status) &&
    filterable.every((field) => fields[field] === undefined || fields[field] === approval[field])

const toPendingResume = ({ approval: { id, run_id, session_id }, root_run_id }: StoredApproval): PendingResume => ({
  id,
  run_id,
  session_id,
  root_run_id
})

const newestFirst = (left: StoredApproval, right: StoredApproval) =>
  right.approval.created_at - left.approval.created_at || right.sequence - left.sequence

export const make = (database: MemoryDatabase["Service"]) => {
  const { approvals, sessions } = database

  const find = (id: Approval.Id, owner: Owner.Owner) => {
    const stored = approvals.get(id)
    return stored !== undefined && Owner.coversIn(owner, stored.approval)
      ? Effect.succeed(stored)
      : Effect.fail(new ApprovalNotFound({ approval_id: id }))
  }

  const read = (filter: ApprovalFilter, at: Time.EpochSeconds) =>
    [...approvals.values()].filter(({ approval }) => matches(filter, at)(approval))

  const ofRun = (run_id: Run.Id, at: Time.EpochSeconds) =>
    read({ owner: Owner.anyone, fields: { run_id } }, at)
      .sort((left, right) => left.sequence - right.sequence)
      .map(({ approval }) => Approval.asOf(approval, at))

  return {
    create: (approval, root_run_id) =>
      Effect.sync(() => {
        const known = approvals.get(approval.id)
        if (known !== undefined) {
          const isResumePending = known.isResumePending || Approval.isAwaitedDecision(known.approval)
          approvals.set(approval.id, { ...known, isResumePending })
          return Approval.asOf(known.approval, approval.created_at)
        }
        const isHere = sessions.has(approval.session_id)
        const stored = { sequence: database.next(), isHere, isResumePending: false, root_run_id, approval }
        approvals.set(approval.id, stored)
        return Approval.asOf(approval, approval.created_at)
      }),
    get: (id, owner, at) =>
      Effect.map(Effect.suspend(() => find(id, owner)), ({ approval }) => Approval.asOf(approval, at)),
    list: (filter, page, at) =>
      Effect.sync(() => {
        const found = read(filter, at).sort(newestFirst)
        return {
          approvals: Pagination.slice(page, found).map(({ approval }) => Approval.asOf(approval, at)),
          total: found.length
        }
      }),
    countPending: (owner, at) => Effect.sync(() => read({ owner, status: "pending" }, at).length),
    resolve: Effect.fnUntraced(function*(id, owner, resolution, at) {
      const stored = yield* find(id, owner)
      const { status } = Approval.asOf(stored.approval, at)
      if (status !== "pending") return yield* new ApprovalNotPending({ approval_id: id, status })
      const approval = Approval.resolved(stored.approval, resolution, at)
      approvals.set(id, { ...stored, isResumePending: true, approval })
      return { approval, pendingResume: toPendingResume(stored) }
    }),
    listPendingResumes: ({ after, limit }) =>
      Effect.sync(() =>
        [...approvals.values()]
          .filter(({ approval: { id }, isResumePending }) => isResumePending && (after === undefined || id > after))
          .map(toPendingResume)
          .sort((left, right) => left.id < right.id ? -1 : 1)
          .slice(0, limit)
      ),
    markResumed: (ids) =>
      Effect.sync(() => {
        for (const id of ids) {
          const stored = approvals.get(id)
          if (stored !== undefined) approvals.set(id, { ...stored, isResumePending: false })
        }
      }),
    remove: (id, owner) =>
      Effect.map(Effect.suspend(() => find(id, owner)), () => {
        approvals.delete(id)
      }),
    listByRun: (run, at) => Effect.sync(() => ofRun(run, at)),
    closeForRun: (run, status, at) =>
      Effect.sync(() => {
        for (const [id, stored] of approvals) {
          if (stored.approval.run_id !== run) continue
          approvals.set(id, { ...stored, approval: Approval.afterRun(stored.approval, status, at) })
        }
      })
  } satisfies ApprovalStore["Service"]
}
