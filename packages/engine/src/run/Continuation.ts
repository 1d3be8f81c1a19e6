// How a kind of component continues its runs: what can be decided, and the journal entry with which a run is resumed.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import * as Run from "@svc-runtime/domain/Run"
import { Effect, type Option, type Schema } from "effect"
import type { ApprovalContext, ApprovalsOf } from "../approval/ApprovalContext.ts"
import { ContinueRejected } from "./ContinueRejected.ts"
import * as DecisionList from "./DecisionList.ts"
import type { RunSnapshot } from "./store/RunReads.ts"

/** The decisions of a request as they were sent: each list is decoded by the kind that reads it. */
export interface SentDecisions {
  readonly tools?: unknown
  readonly requirements?: unknown
  readonly step_requirements?: unknown
  readonly error_requirements?: unknown
}

export interface SentInput {
  readonly decisions: SentDecisions
  /** Added for the model, after the answers of its calls. */
  readonly input: string | undefined
  /** Of the input. */
  readonly media?: Media.Media | undefined
  /** Changes the metadata of the run from here on. */
  readonly metadata?: Json.Object | undefined
}

export interface Continuation {
  /** The runs whose approvals count for what is sent: the run itself, and runs inside of it. */
  readonly runsWithApprovals: (run: RunSnapshot, sent: SentDecisions) => Effect.Effect<ReadonlyArray<Run.Id>>
  readonly hasDecisions: (sent: SentDecisions) => boolean
  /** Whether an approval has resumed the run: a request without decisions then asks for its result. */
  readonly wasApproved: (run: RunSnapshot, approvals: ApprovalContext["approvals"]) => boolean
  /** Why the status of the run does not allow what was sent. */
  readonly conflictOf: (run: RunSnapshot, sent: SentDecisions) => ContinueRejected | undefined
  /** Another request was faster, which has resumed or cancelled the run: the run as it is now. */
  readonly resumedByAnother: (run: RunSnapshot) => ContinueRejected
  /** The journal entry with which the run is resumed. Undefined when approvals decide. */
  readonly plan: (
    run: RunSnapshot,
    sent: SentInput,
    context: ApprovalContext
  ) => Effect.Effect<Json.Object | undefined, ContinueRejected>
  /** The same when approvals decide without a request. None if the run also waits for something else. */
  readonly approvedPlan: <E>(
    run: RunSnapshot,
    approvalsOf: ApprovalsOf<E>
  ) => Effect.Effect<Option.Option<Json.Object | undefined>, E>
}

/**
 * The status that refuses a request. A request to cancel the run is about to end it. Otherwise the run was executing,
 * whatever it waits for now.
 */
export const refusingStatus = ({ isCancelRequested, status }: RunSnapshot): Run.Status => {
  if (isCancelRequested && !Run.hasEnded(status)) return "CANCELLED"
  return Run.isContinuable(status) ? "RUNNING" : status
}

/** The list of decisions in a field. Undefined when the request has no such field. */
export const listIn = <A>(field: keyof SentDecisions, item: Schema.Codec<A, unknown>) => {
  const decode = DecisionList.decoder(item)
  return ({ [field]: sent }: SentDecisions): Effect.Effect<ReadonlyArray<A> | undefined, ContinueRejected> =>
    sent === undefined || sent === null
      ? Effect.undefined
      : Effect.mapError(
        decode(sent),
        (cause) =>
          cause === undefined
            ? new ContinueRejected({ reason: "malformed", field, message: DecisionList.tooMany })
            : new ContinueRejected({ reason: "malformed", field, message: cause.message, cause })
      )
}

/** The problem with a decision, in the field that the request has. */
export const inSentField = (sent: SentDecisions) => (error: ContinueRejected): ContinueRejected => {
  const { cause, field, message, reason } = error
  const fields = (["tools", "requirements", "step_requirements", "error_requirements"] as const)
    .filter((name) => (sent[name] ?? null) !== null)
  const [only, ...others] = fields
  return field === undefined || cause !== undefined || only === undefined || only === field || others.length > 0
    ? error
    : new ContinueRejected({ reason, message, field: only })
}
