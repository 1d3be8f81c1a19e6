// The span around the execution of a run, of any kind of component.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import type { Effect, Option } from "effect"
import type { RunCommand } from "./RunCommand.ts"
import type { RunResult, Start } from "./Runnable.ts"

export const spanOfRun = <Output extends AnyRun.Output, E, R>(
  execution: Effect.Effect<Option.Option<RunResult<Output>>, E, R>,
  { component_versions, input, run_id, session_id, user_id }: RunCommand,
  { journal, trace }: Start,
  component: Pick<RunSpan.Subject, "component" | "attributes"> & { readonly hidesInput?: boolean | undefined }
): Effect.Effect<Option.Option<RunResult<Output>>, E, R> =>
  RunSpan.around(execution, {
    component: component.component,
    attributes: component.attributes,
    version: component_versions?.numbers[component.component.id],
    run_id,
    session_id,
    user_id,
    attempt: journal.attempt,
    root: trace,
    ...(component.hidesInput === true ? {} : { input: input.input_content })
  })
