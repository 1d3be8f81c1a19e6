// `ApprovalStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list. All times
// come from the caller.
import { Approval, Owner, Pagination, type Run, type Time } from "@svc/domain"
import {
  type ApprovalFilter,
  ApprovalNotFound,
  ApprovalNotPending,
  ApprovalStore,
  filterable,
  type PendingResumeRange
} from "@svc/runtime"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { approvalColumns, toRow } from "./internal/approvalRows.ts"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import { jsonOrNull, text, textOrNull, unchecked } from "./internal/rows.ts"

const PageRow = Schema.Struct({ ...Approval.Approval.fields, total: Schema.Natural })
const ResolvedRow = Schema.Struct({ ...Approval.Approval.fields, isNew: Schema.Boolean })

interface Key {
  readonly id: Approval.Id
  readonly owner: Owner.Owner
}

interface Search {
  readonly filter: ApprovalFilter
  readonly at: Time.EpochSeconds
}

interface Resolving extends Key {
  readonly resolution: Approval.ResolutionInput
  readonly at: Time.EpochSeconds
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(approvalColumns)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "a.user_id", owner)
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

  // An existing approval is updated to itself, because only then RETURNING includes it.
  const create = SqlSchema.findOne({
    Request: unchecked<Approval.Approval>(),
    Result: Approval.Approval,
    execute: (approval) => {
      const row = toRow(approval)
      return sql`
        insert into svc_approvals as a (${sql.literal(Object.keys(row).join(", "))}, kept_with)
        values (${sql.csv(Object.values(row).map((value) => sql`${value}`))}, (
          select s.session_id from svc_sessions s where s.session_id = ${row.session_id} for key share
        ))
        on conflict (id) do update set id = excluded.id returning ${columns}`
    }
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Approval.Approval,
    execute: (key) => sql`select ${columns} from svc_approvals a where ${isAt(key)}`
  })

  const findPage = SqlSchema.findAll({
    Request: unchecked<Search & { readonly page: Pagination.Request }>(),
    Result: PageRow,
    execute: ({ page, ...search }) =>
      sql`
        select ${columns}, (select count(*)::int from svc_approvals a where ${matches(search)}) as total
        from svc_approvals a where ${matches(search)} order by a.created_at desc, a.seq desc
        limit ${page.limit} offset ${Pagination.offset(page)}`
  })

  const count = SqlSchema.findOne({
    Request: unchecked<Search>(),
    Result: Schema.Struct({ total: Schema.Natural }),
    execute: (search) => sql`select count(*)::int as total from svc_approvals a where ${matches(search)}`
  })

  const findOfRun = SqlSchema.findAll({
    Request: unchecked<Search>(),
    Result: Approval.Approval,
    execute: (search) => sql`select ${columns} from svc_approvals a where ${matches(search)} order by a.seq`
  })

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
          is_untold: true,
          resolved_by: textOrNull(resolution.resolved_by),
          resolution_data: jsonOrNull(resolution.resolution_data),
          resolved_at: at,
          updated_at: at
        })
      } from found a where b.id = a.id and ${reads("pending", at)} returning b.*
        )
        select ${columns}, true as "isNew" from resolved a
        union all
        select ${columns}, false as "isNew" from found a where not exists (select from resolved)`
  })

  const untold = SqlSchema.findAll({
    Request: unchecked<PendingResumeRange>(),
    Result: Schema.Struct(Struct.pick(Approval.Approval.fields, ["id", "run_id", "session_id"])),
    execute: ({ after, limit }) =>
      sql`
        select a.id, a.run_id, a.session_id from svc_approvals a
        where a.is_untold and a.id > ${text(after ?? "")} order by a.id limit ${limit}`
  })

  const remove = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Schema.Struct({ id: Approval.Id }),
    execute: (key) => sql`delete from svc_approvals a where ${isAt(key)} returning a.id`
  })

  const ofRun = (run_id: Run.Id, at: Time.EpochSeconds, status?: Approval.Status) =>
    findOfRun({ filter: { owner: Owner.anyone, status, fields: { run_id } }, at }).pipe(
      Effect.map((rows) => rows.map((row) => Approval.asOf(row, at)))
    )

  return ApprovalStore.of({
    create: Effect.fn("SqlApprovalStore.create")(function*(approval) {
      return Approval.asOf(yield* create(approval), approval.created_at)
    }, orUnavailable),
    get: Effect.fn("SqlApprovalStore.get")(function*(id, owner, at) {
      const found = yield* find({ id, owner })
      return Option.isSome(found) ? Approval.asOf(found.value, at) : yield* new ApprovalNotFound({ approval_id: id })
    }, readOrUnavailable),
    list: Effect.fn("SqlApprovalStore.list")(function*(filter, page, at) {
      const rows = yield* findPage({ filter, at, page })
      const [first] = rows
      const isPast = first === undefined && Pagination.offset(page) > 0
      const { total } = isPast ? yield* count({ filter, at }) : first ?? { total: 0 }
      return { approvals: rows.map((row) => Approval.asOf(Struct.omit(row, ["total"]), at)), total }
    }, readOrUnavailable),
    countPending: Effect.fn("SqlApprovalStore.countPending")((owner, at) =>
      readOrUnavailable(Effect.map(count({ filter: { owner, status: "pending" }, at }), ({ total }) => total))
    ),
    resolve: Effect.fn("SqlApprovalStore.resolve")(function*(id, owner, resolution, at) {
      const found = yield* resolve({ id, owner, resolution, at })
      if (Option.isNone(found)) return yield* new ApprovalNotFound({ approval_id: id })
      const { isNew, ...approval } = found.value
      if (isNew) return approval
      return yield* new ApprovalNotPending({ approval_id: id, status: Approval.asOf(approval, at).status })
    }, orUnavailable),
    listPendingResumes: Effect.fn("SqlApprovalStore.untold")((range) => readOrUnavailable(untold(range))),
    markResumed: Effect.fn("SqlApprovalStore.told")((id) =>
      orUnavailable(Effect.asVoid(sql`update svc_approvals set is_untold = false where id = ${text(id)} and is_untold`))
    ),
    remove: Effect.fn("SqlApprovalStore.remove")(function*(id, owner) {
      if (Option.isNone(yield* remove({ id, owner }))) return yield* new ApprovalNotFound({ approval_id: id })
    }, orUnavailable),
    listByRun: Effect.fn("SqlApprovalStore.of")((run, at) => readOrUnavailable(ofRun(run, at))),
    pendingOf: Effect.fn("SqlApprovalStore.pendingOf")((run, at) => readOrUnavailable(ofRun(run, at, "pending"))),
    // `Approval.afterRun` as a statement
    closeForRun: Effect.fn("SqlApprovalStore.runEnded")((run, status, at) =>
      orUnavailable(sql`
        update svc_approvals a set run_status = ${status}, updated_at = ${at}, status = case
          when ${status === "CANCELLED"} and ${reads("pending", at)} then 'cancelled' else a.status
        end
        where a.run_id = ${text(run)} and a.run_status is distinct from ${status}`.pipe(Effect.asVoid))
    )
  })
})

export const layer: Layer.Layer<ApprovalStore, never, SqlClient.SqlClient> = Layer.effect(ApprovalStore, make)
