// Components that are called in the background: the call returns at once with a handle, and the answer joins the
// session later. This is the port: a service with the feature of background tasks gives it to its root runs. Other runs
// await the component as without the option.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import { Context, Effect } from "effect"
import { given } from "../agent/execute/RunPart.ts"
import type { Settings } from "./BackgroundOption.ts"
import { type InnerComponent, kindOf } from "./InnerCommand.ts"

/** What a call starts. */
export interface NewTask {
  /** Of the call: a call that is repeated starts no second task. */
  readonly key: string
  readonly tool: string
  readonly component: Pick<InnerComponent, "id" | "name"> & { readonly kind: ReturnType<typeof kindOf> }
  readonly input: Json.Value
  readonly settings: Settings
}

export interface Handle {
  readonly task_id: string
  readonly status: "running"
  readonly run_id: string
  readonly session_id: string
  readonly next: string
}

export interface Tasks {
  readonly start: (task: NewTask) => Effect.Effect<Handle, Tool.ToolFailed>
}

/** Undefined where calls are awaited. */
export class BackgroundTasks extends Context.Service<BackgroundTasks, Tasks | undefined>()(
  "@svc-runtime/agents/nested/BackgroundTasks"
) {}

interface Called {
  readonly settings: Settings | undefined
  readonly tool: string
  readonly component: InnerComponent
  readonly input: Json.Value
  readonly context: Pick<Tool.GivenContext, "effectId" | "emit">
}

/** Starts the component in the background, if it is to run there. Otherwise it is awaited. */
export const startOr = <A, E>(
  { component, context, input, settings, tool }: Called,
  awaited: Effect.Effect<A, E>
): Effect.Effect<A | Json.Object, E | Tool.ToolFailed> =>
  settings === undefined ? awaited : Effect.gen(function*(): Effect.fn.Return<A | Json.Object, E | Tool.ToolFailed> {
    const tasks = yield* given(BackgroundTasks)
    if (tasks === undefined) return yield* awaited
    const { id, name } = component
    const handle = yield* tasks.start({
      key: context.effectId,
      tool,
      component: { id, name, kind: kindOf(component) },
      input,
      settings
    })
    const { next: _, ...task } = handle
    context.emit({ name: "background_task", background_task: { ...task, tool_name: tool, component_id: id } })
    return { ...handle }
  })
