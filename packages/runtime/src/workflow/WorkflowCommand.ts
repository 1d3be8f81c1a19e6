// What a caller asks a workflow for. All of it but the workflow itself can be stored, so that the run can be gone on with
// on any node.
import { AnyRun, Json, Media } from "@svc/domain"
import { Option, Schema } from "effect"
import type { RunRequest } from "../run/RunRequest.ts"
import type { RunSnapshot } from "../run/RunStore.ts"
import type { SharedOptions } from "../run/SharedOptions.ts"
import type { AnyWorkflow } from "./Node.ts"

export interface WorkflowCommand extends RunRequest, SharedOptions {
  readonly workflow: AnyWorkflow
}

const Stored = Schema.Struct({
  session_state: Schema.optionalKey(Json.Object),
  dependencies: Json.Object,
  metadata: Schema.optionalKey(Json.Object),
  media: Media.Media
})

/** As JSON, without what the run itself says. */
export const encode = ({ dependencies, input, metadata, session_state }: WorkflowCommand): Json.Object => {
  const { input_content: _, ...media } = input
  const stored: typeof Stored.Type = {
    ...(session_state === undefined ? {} : { session_state }),
    dependencies,
    ...(metadata === undefined ? {} : { metadata }),
    media
  }
  return stored as Json.Object
}

const decodeStored = Schema.decodeUnknownOption(Stored)

/** The command of a stored run. None when it was written by a service that stored something else. */
export const decode = (
  workflow: AnyWorkflow,
  { command, output, run_id, session_id, user_id }: RunSnapshot
): Option.Option<Omit<WorkflowCommand, "stream" | "background">> =>
  Option.gen(function*() {
    const { input } = yield* Option.liftPredicate(output, AnyRun.isWorkflow)
    const stored = yield* decodeStored(command?.["options"])
    return {
      workflow,
      run_id,
      session_id,
      user_id: user_id ?? undefined,
      // it was let into its session when it began
      isolated: false,
      input: { input_content: input ?? "", ...stored.media },
      session_state: stored.session_state,
      dependencies: stored.dependencies,
      metadata: stored.metadata
    }
  })
