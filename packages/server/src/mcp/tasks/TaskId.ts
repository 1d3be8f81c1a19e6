// The id of a task: the run, with the component that it belongs to. The id of a run cannot be guessed, and each request
// checks whose run it is.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as Agent from "@svc-runtime/domain/Agent"
import * as Run from "@svc-runtime/domain/Run"
import * as Team from "@svc-runtime/domain/Team"
import * as Workflow from "@svc-runtime/domain/Workflow"
import { Option, Schema } from "effect"

export interface TaskRef {
  readonly component: ComponentRef
  readonly run_id: Run.Id
}

const Parts = Schema.fromJsonString(Schema.Union([
  Schema.Tuple([Schema.Literal("agent"), Agent.Id, Run.Id]),
  Schema.Tuple([Schema.Literal("team"), Team.Id, Run.Id]),
  Schema.Tuple([Schema.Literal("workflow"), Workflow.Id, Run.Id])
]))
const decodeParts = Schema.decodeUnknownOption(Parts)

export const of = ({ component: { id, kind }, run_id }: TaskRef): string =>
  Buffer.from(JSON.stringify([kind, id, run_id])).toString("base64url")

const maxLength = 4096

/** None for another text: there is no such task. */
export const decode = (id: string): Option.Option<TaskRef> =>
  id.length > maxLength
    ? Option.none()
    : Option.map(decodeParts(Buffer.from(id, "base64url").toString()), ([kind, id, run_id]) => ({
      component: { kind, id },
      run_id
    }))
