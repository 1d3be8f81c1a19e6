// Approvals: stored requests for a decision. Resolving a pending one resumes its run. One of type `audit` records a
// decision and is never pending. An approval past `expires_at` stays stored as pending and reads as expired.
import { Schema } from "effect"
import { ComponentKind, idsOf } from "./ComponentKind.ts"
import { UserId } from "./Ids.ts"
import * as Json from "./Json.ts"
import * as Owner from "./Owner.ts"
import type { Principal } from "./Principal.ts"
import * as Run from "./Run.ts"
import * as Session from "./Session.ts"
import { EpochSeconds } from "./Time.ts"

export const Id = Schema.String.pipe(Schema.brand("ApprovalId"))
export type Id = typeof Id.Type

export const Decision = Schema.Literals(["approved", "rejected"])
export type Decision = typeof Decision.Type

export const Status = Schema.Literals(["pending", ...Decision.literals, "expired", "cancelled"])
export type Status = typeof Status.Type

/** `required` pauses the run until it is resolved; `audit` records a decision that was made in `continue`. */
export const Kind = Schema.Literals(["required", "audit"])
export type Kind = typeof Kind.Type

/** The kind of decision that the run needs. */
export const PauseKind = Schema.Literals(["confirmation", "user_input", "external_execution"])
export type PauseKind = typeof PauseKind.Type

const text = Schema.NullOr(Schema.String)
const moment = Schema.NullOr(EpochSeconds)

export const Approval = Schema.Struct({
  id: Id,
  run_id: Run.Id,
  session_id: Session.Id,
  status: Status,
  source_type: ComponentKind,
  approval_type: Kind,
  pause_type: PauseKind,
  tool_name: text,
  tool_args: Schema.NullOr(Schema.Json),
  /** The time after which it cannot be resolved. */
  expires_at: moment,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  /** The owner of the run. */
  user_id: Schema.NullOr(UserId),
  schedule_id: text,
  schedule_run_id: text,
  source_name: text,
  requirements: Schema.NullOr(Schema.Array(Json.Object)),
  context: Schema.NullOr(Schema.Struct({
    tool_names: Schema.Array(Schema.String),
    source_name: Schema.optionalKey(Schema.String)
  })),
  resolution_data: Schema.NullOr(Json.Object),
  resolved_by: text,
  resolved_at: moment,
  created_at: EpochSeconds,
  updated_at: EpochSeconds,
  /** The last known status of the run. */
  run_status: Schema.NullOr(Run.Status)
}).annotate({ identifier: "Approval" })
export type Approval = typeof Approval.Type

export const Count = Schema.Struct({ count: Schema.Natural }).annotate({ identifier: "ApprovalCount" })

/** A small response for clients that poll. */
export const StatusView = Schema.Struct({
  approval_id: Id,
  status: Status,
  run_id: Run.Id,
  resolved_at: moment,
  resolved_by: text
}).annotate({ identifier: "ApprovalStatus" })
export type StatusView = typeof StatusView.Type

export const toStatusView = ({ id, resolved_at, resolved_by, run_id, status }: Approval): StatusView => ({
  approval_id: id,
  status,
  run_id,
  resolved_at,
  resolved_by
})

const resolveFields = {
  status: Decision,
  /** Used only on a service without authentication. */
  resolved_by: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(255)))),
  /** Passed to the run: values of fields, or the result of an external execution. */
  resolution_data: Schema.optionalKey(Schema.NullOr(Json.Input))
}

/** An unknown key can be a misspelt decision. */
const onlyKnownKeys = Schema.makeFilter<object>(
  (sent) => {
    const unknown = Object.keys(sent).find((key) => !Object.hasOwn(resolveFields, key))
    return unknown === undefined ? undefined : { path: [unknown], issue: "Extra inputs are not permitted" }
  },
  { problem: "extra_forbidden" }
)

export const Resolve = Schema.StructWithRest(Schema.Struct(resolveFields), [
  Schema.Record(Schema.String, Schema.Unknown)
]).check(onlyKnownKeys).annotate({ identifier: "ApprovalResolve" })
export type Resolve = typeof Resolve.Type

export interface ResolutionInput {
  readonly status: Decision
  readonly resolved_by: string | null
  readonly resolution_data: Json.Object | null
}

/** The fields of a call that needs a decision, as its run has them. */
export interface ApprovalRequest {
  readonly id: Id
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: UserId | null
  /** The component that made the call. */
  readonly source: { readonly kind: ComponentKind; readonly id: string; readonly name: string | null }
  readonly pause_type: PauseKind
  readonly tool_name: string | null
  readonly tool_args: Json.Value
  /** The tools of all calls that paused the run. */
  readonly tool_names: ReadonlyArray<string>
  readonly schedule_id: string | null
  readonly created_at: EpochSeconds
  readonly expires_at: EpochSeconds | null
}

const pending = ({ source, tool_names, ...question }: ApprovalRequest): Approval => ({
  ...question,
  status: "pending",
  approval_type: "required",
  source_type: source.kind,
  ...idsOf(source.kind, source.id),
  source_name: source.name,
  context: { tool_names, ...(source.name === null ? {} : { source_name: source.name }) },
  schedule_run_id: null,
  requirements: null,
  resolution_data: null,
  resolved_by: null,
  resolved_at: null,
  updated_at: question.created_at,
  run_status: null
})

/** The approval that a paused run waits for. */
export const required = (question: ApprovalRequest, requirements: ReadonlyArray<Json.Object>): Approval => ({
  ...pending(question),
  requirements,
  run_status: "PAUSED"
})

/** The record of a decision that was made in `continue`. */
export const audit = (question: ApprovalRequest, status: Decision, run_status: Run.Status): Approval => ({
  ...pending(question),
  approval_type: "audit",
  status,
  resolved_at: question.created_at,
  run_status
})

/**
 * Whether the approval decides on this call of its run. The calls of a copied run name the approval of the original,
 * and its own approval has their requirements.
 */
export const isAbout = (
  { id, requirements }: Pick<Approval, "id" | "requirements">,
  { approval_id }: { readonly approval_id: string | null },
  requirement: string | undefined
): boolean =>
  id === approval_id || (requirement !== undefined && requirements?.some((each) => each["id"] === requirement) === true)

/** The approval of the copy of a run, which a person decides on its own. */
export const ofCopy = (
  approval: Approval,
  copy: Pick<Approval, "id" | "run_id" | "session_id" | "requirements">,
  at: EpochSeconds
): Approval => ({
  ...approval,
  ...copy,
  status: "pending",
  expires_at: approval.expires_at === null ? null : at + approval.expires_at - approval.created_at,
  resolution_data: null,
  resolved_by: null,
  resolved_at: null,
  created_at: at,
  updated_at: at,
  run_status: "PAUSED"
})

export const isExpired = ({ expires_at, status }: Approval, at: EpochSeconds): boolean =>
  status === "pending" && expires_at !== null && expires_at <= at

/** The approval with its status at this time. */
export const asOf = (approval: Approval, at: EpochSeconds): Approval =>
  isExpired(approval, at) ? { ...approval, status: "expired" } : approval

export const resolved = (approval: Approval, resolution: ResolutionInput, at: EpochSeconds): Approval => ({
  ...approval,
  ...resolution,
  resolved_at: at,
  updated_at: at
})

/** No decision can change a run with this status. */
export const isClosedBy = (run_status: Run.Status): boolean =>
  run_status === "CANCELLED" || run_status === "REGENERATED"

/** The approval after its run has ended: a pending one of a cancelled or replaced run becomes cancelled. */
export const afterRun = (approval: Approval, run_status: Run.Status, at: EpochSeconds): Approval => {
  if (approval.run_status === run_status) return approval
  const isOver = isClosedBy(run_status) && approval.status === "pending" && !isExpired(approval, at)
  return { ...approval, run_status, updated_at: at, status: isOver ? "cancelled" : approval.status }
}

/** A decision that a run waits for, as opposed to the record of one that was made in `continue`. */
export const isAwaitedDecision = ({ approval_type, status }: Approval): boolean =>
  approval_type === "required" && (status === "approved" || status === "rejected")

/**
 * Isolated callers cannot resolve approvals: a user must not approve their own request. An admin of a tenant resolves
 * approvals of the tenant.
 */
export const canResolve = (principal: Principal): boolean => !principal.isIsolated || principal.seesTenant === true

/** The owner filter for resolving and deleting approvals. */
export const resolvableBy = (principal: Principal): Owner.Owner =>
  canResolve(principal)
    ? Owner.within(
      principal.tenant === undefined ? Owner.anyone : Owner.tenant(principal.tenant),
      principal.session_id
    )
    : Owner.none
