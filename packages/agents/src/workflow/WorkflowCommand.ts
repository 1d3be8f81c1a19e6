// The command of a run of a workflow. All fields except the workflow are stored, so that any node can resume the run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import * as InheritedOptions from "@svc-runtime/engine/run/InheritedOptions"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Option, Schema } from "effect"
import type { AnyWorkflow } from "./define/Node.ts"

export interface WorkflowCommand extends RunCommand, SharedOptions.SharedOptions, InheritedOptions.InheritedOptions {
  readonly workflow: AnyWorkflow
  /** The root run around a run that is a tool call. Left out: this run. It is not stored, as that of a member run. */
  readonly root_run_id?: Run.Id | undefined
  /** The run is a tool call, and fails where it would wait for a decision. */
  readonly isTool?: boolean | undefined
}

const Stored = Schema.Struct({
  ...SharedOptions.fields,
  ...InheritedOptions.fields,
  media: Media.Media
})

/** As JSON, without the fields of the run itself. */
export const encode = (command: WorkflowCommand): Json.Object => {
  const { input_content: _, ...media } = command.input
  const stored: typeof Stored.Type = {
    ...SharedOptions.encode(command),
    ...InheritedOptions.encode(command),
    media
  }
  return stored as Json.Object
}

const decodeStored = Schema.decodeUnknownOption(Stored)

/** The command of a stored run. None if it has an unknown format. */
export const decode = (
  workflow: AnyWorkflow,
  { command, output, run_id, session_id, user_id }: RunSnapshot
): Option.Option<Omit<WorkflowCommand, "stream" | "background">> =>
  Option.gen(function*() {
    const run = yield* Option.liftPredicate(output, AnyRun.isWorkflow)
    const stored = yield* decodeStored(command?.["options"])
    return {
      workflow,
      run_id,
      session_id,
      user_id: user_id ?? undefined,
      // its access to the session was checked at its start
      isolated: false,
      input: { ...AnyRun.inputOf(run), ...stored.media },
      ...SharedOptions.decode(stored),
      ...InheritedOptions.decode(stored)
    }
  })
