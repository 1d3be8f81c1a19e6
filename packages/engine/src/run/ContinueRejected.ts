// Why a run cannot be continued as requested. The run does not change.
import { NeededDecision } from "@svc-runtime/domain/NeededDecision"
import * as Run from "@svc-runtime/domain/Run"
import { Schema } from "effect"

const isSchemaError = Schema.declare(Schema.isSchemaError)

/** The one refusal of all kinds of components. Each transport maps the reason to its own error. */
export class ContinueRejected extends Schema.TaggedError<ContinueRejected>()("ContinueRejected", {
  /**
   * - `malformed`: a decision does not have the form that the run waits for
   * - `unresolved`: a requirement has no decision
   * - `mismatch`: a decision is about something that the run does not wait for
   * - `notPaused`: the status of the run does not allow it
   * - `conflict`: another request resumed the run first
   * - `decided`: a resolved approval has decided otherwise
   * - `fork`: the run has no messages from which the new run can start
   * - `forbidden`: the run waits for an approval, and the caller may not resolve it
   * - `unavailable`: a decision cannot be checked now
   */
  reason: Schema.Literals([
    "malformed",
    "unresolved",
    "mismatch",
    "notPaused",
    "conflict",
    "decided",
    "fork",
    "forbidden",
    "unavailable"
  ]),
  message: Schema.String,
  /** The part of the request that the message is about. */
  field: Schema.optionalKey(Schema.Literals(["tools", "requirements", "step_requirements", "error_requirements"])),
  /** What the request lacks. */
  needs: Schema.optionalKey(Schema.Array(NeededDecision)),
  /** The status that does not allow it. */
  status: Schema.optionalKey(Run.Status),
  /** What is wrong with the value of the field. */
  cause: Schema.optionalKey(isSchemaError)
}) {}
