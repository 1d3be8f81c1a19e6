// `ApprovalStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list. All times
// come from the caller.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as Time from "@svc-runtime/domain/Time"
import {
  type ApprovalFilter,
  ApprovalNotFound,
  ApprovalNotPending,
  ApprovalStore,
  filterable,
  type PendingResume,
  type PendingResumeRange
} from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { approvalColumns } from "./sql/approvalColumns.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import * as Page from "./sql/Page.ts"
import * as ReadableRows from "./sql/ReadableRows.ts"
import { changeOne, readOne } from "./sql/readOne.ts"
import { jsonOrNull, text, textOrNull, texts, unchecked } from "./sql/rows.ts"

// Maps approvals to rows and back.

const readable = ReadableRows.make(Approval.Approval, "approval_id")

const toRow = (approval: Approval.Approval) => ({
  id: text(approval.id),
  run_id: text(approval.run_id),
  session_id: text(approval.session_id),
  status: approval.status,
  source_type: approval.source_type,
  approval_type: approval.approval_type,
  pause_type: approval.pause_type,
  tool_name: textOrNull(approval.tool_name),
  tool_args: jsonOrNull(approval.tool_args),
  expires_at: approval.expires_at,
  agent_id: textOrNull(approval.agent_id),
  team_id: textOrNull(approval.team_id),
  workflow_id: textOrNull(approval.workflow_id),
  user_id: textOrNull(approval.user_id),
  schedule_id: textOrNull(approval.schedule_id),
  schedule_run_id: textOrNull(approval.schedule_run_id),
  source_name: textOrNull(approval.source_name),
  requirements: jsonOrNull(approval.requirements),
  context: jsonOrNull(approval.context),
  resolution_data: jsonOrNull(approval.resolution_data),
  resolved_by: textOrNull(approval.resolved_by),
  resolved_at: approval.resolved_at,
  created_at: approval.created_at,
  updated_at: approval.updated_at,
  run_status: approval.run_status
})

const root_run_id = Schema.NullOr(Run.Id)
const ResolvedRow = Schema.Struct({ ...Approval.Approval.fields, root_run_id, isNew: Schema.Boolean })
const PendingResumeRow = Schema.Struct({
  ...Struct.pick(Approval.Approval.fields, ["id", "run_id", "session_id"]),
  root_run_id
})

interface Key {
  readonly id: Approval.Id
  readonly owner: Owner.Owner
}

interface Search {
  readonly filter: ApprovalFilter
  readonly at: Time.EpochSeconds
}

interface Creation {
  readonly approval: Approval.Approval
  readonly root: Run.Id
}

interface Resolving extends Key {
  readonly resolution: Approval.ResolutionInput
  readonly at: Time.EpochSeconds
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(approvalColumns)
  const pages = Page.make(sql)

  const isCovered = (owner: Owner.Owner) => Ownership.coversIn(sql, "a", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`a.id = ${text(id)}`, isCovered(owner)])

  /** `Approval.asOf` as an SQL condition. */
  const reads = (status: Approval.Status, at: Time.EpochSeconds) => {
    switch (status) {
      case "pending":
        return sql`(a.status = 'pending' and (a.expires_at is null or a.expires_at > ${at}))`
      case "expired":
        return sql`(a.status = 'expired' or (a.status = 'pending' and a.expires_at <= ${at}))`
      default:
        return sql`a.status = ${status}`
    }
  }

  const matches = ({ at, filter: { fields = {}, owner, status } }: Search) =>
    sql.and([
      isCovered(owner),
      ...(status === undefined ? [] : [reads(status, at)]),
      ...filterable.flatMap((field) => {
        const value = fields[field]
        return value === undefined ? [] : [sql`${sql.literal(`a.${field}`)} = ${text(value)}`]
      })
    ])

  // an existing approval is updated in any case, because only then RETURNING includes it
  const create = SqlSchema.findOne({
    Request: unchecked<Creation>(),
    Result: Approval.Approval,
    execute: ({ approval, root }) => {
      const row = { ...toRow(approval), root_run_id: text(root) }
      return sql`
        insert into svc_approvals as a (${sql.literal(Object.keys(row).join(", "))}, kept_with)
        values (${sql.csv(Object.values(row).map((value) => sql`${value}`))}, (
          select s.session_id from svc_sessions s where s.session_id = ${row.session_id} for key share
        ))
        on conflict (id) do update set
          root_run_id = coalesce(a.root_run_id, excluded.root_run_id),
          resume_pending = a.resume_pending
            or (a.approval_type = 'required' and a.status in ('approved', 'rejected'))
        returning ${columns}`
    }
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Approval.Approval,
    execute: (key) => sql`select ${columns} from svc_approvals a where ${isAt(key)}`
  })

  const matching = (search: Search) => sql`svc_approvals a where ${matches(search)}`

  const findOfRun = (search: Search) =>
    sql<object>`select ${columns} from svc_approvals a where ${matches(search)} order by a.seq`

  // The row is locked before it is read, so that a second caller sees the result of the first.
  const resolve = SqlSchema.findOneOption({
    Request: unchecked<Resolving>(),
    Result: ResolvedRow,
    execute: ({ at, resolution, ...key }) =>
      sql`
        with found as (
          select a.* from svc_approvals a where ${isAt(key)} for update
        ), resolved as (
          update svc_approvals b set ${
        sql.update({
          status: resolution.status,
          resume_pending: true,
          resolved_by: textOrNull(resolution.resolved_by),
          resolution_data: jsonOrNull(resolution.resolution_data),
          resolved_at: at,
          updated_at: at
        })
      } from found a where b.id = a.id and ${reads("pending", at)} returning b.*
        )
        select ${columns}, a.root_run_id, true as "isNew" from resolved a
        union all
        select ${columns}, null as root_run_id, false as "isNew" from found a where not exists (select from resolved)`
  })

  const findPendingResumes = SqlSchema.findAll({
    Request: unchecked<PendingResumeRange>(),
    Result: PendingResumeRow,
    execute: ({ after, limit }) =>
      sql`
        select a.id, a.run_id, a.session_id, a.root_run_id from svc_approvals a
        where a.resume_pending and a.id > ${text(after ?? "")} order by a.id limit ${limit}`
  })

  const remove = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Schema.Struct({ id: Approval.Id }),
    execute: (key) => sql`delete from svc_approvals a where ${isAt(key)} returning a.id`
  })

  const ofRun = (run_id: Run.Id, at: Time.EpochSeconds) =>
    findOfRun({ filter: { owner: Owner.anyone, fields: { run_id } }, at }).pipe(
      Effect.flatMap(readable),
      Effect.map((approvals) => approvals.map((one) => Approval.asOf(one, at)))
    )

  return ApprovalStore.of({
    create: Effect.fn("SqlApprovalStore.create")(function*(approval, root) {
      return Approval.asOf(yield* create({ approval, root }), approval.created_at)
    }, orUnavailable),
    get: Effect.fn("SqlApprovalStore.get")(function*(id, owner, at) {
      const found = yield* find({ id, owner })
      return Option.isSome(found) ? Approval.asOf(found.value, at) : yield* new ApprovalNotFound({ approval_id: id })
    }, (effect, id) => readOne(effect, { kind: "approval", id })),
    list: Effect.fn("SqlApprovalStore.list")(function*(filter, page, at) {
      const from = matching({ filter, at })
      const rows = yield* pages.select({ columns, from, order: sql`a.created_at desc, a.seq desc`, page })
      const total = yield* pages.totalOf(rows, { from, page })
      return { approvals: (yield* readable(rows)).map((one) => Approval.asOf(one, at)), total }
    }, readOrUnavailable),
    countPending: Effect.fn("SqlApprovalStore.countPending")((owner, at) =>
      readOrUnavailable(pages.count(matching({ filter: { owner, status: "pending" }, at })))
    ),
    resolve: Effect.fn("SqlApprovalStore.resolve")(function*(id, owner, resolution, at) {
      const found = yield* resolve({ id, owner, resolution, at })
      if (Option.isNone(found)) return yield* new ApprovalNotFound({ approval_id: id })
      const { isNew, root_run_id, ...approval } = found.value
      const { run_id, session_id } = approval
      const pendingResume: PendingResume = { id: approval.id, run_id, session_id, root_run_id }
      if (isNew) return { approval, pendingResume }
      return yield* new ApprovalNotPending({ approval_id: id, status: Approval.asOf(approval, at).status })
    }, (effect, id) => changeOne(sql)(effect, { kind: "approval", id })),
    listPendingResumes: Effect.fn("SqlApprovalStore.listPendingResumes")((range) =>
      readOrUnavailable(findPendingResumes(range))
    ),
    markResumed: Effect.fn("SqlApprovalStore.markResumed")((ids) =>
      orUnavailable(
        Effect.asVoid(
          sql`update svc_approvals set resume_pending = false
            where id = any(${texts(ids.map(text))}::text[]) and resume_pending`
        )
      )
    ),
    remove: Effect.fn("SqlApprovalStore.remove")(function*(id, owner) {
      if (Option.isNone(yield* remove({ id, owner }))) return yield* new ApprovalNotFound({ approval_id: id })
    }, orUnavailable),
    listByRun: Effect.fn("SqlApprovalStore.listByRun")((run, at) => readOrUnavailable(ofRun(run, at))),
    // `Approval.afterRun` as a statement
    closeForRun: Effect.fn("SqlApprovalStore.closeForRun")((run, status, at) =>
      orUnavailable(sql`
        update svc_approvals a set run_status = ${status}, updated_at = ${at}, status = case
          when ${Approval.isClosedBy(status)} and ${reads("pending", at)} then 'cancelled' else a.status
        end
        where a.run_id = ${text(run)} and a.run_status is distinct from ${status}`.pipe(Effect.asVoid))
    )
  })
})

export const layer: Layer.Layer<ApprovalStore, never, SqlClient.SqlClient> = Layer.effect(ApprovalStore, make)
