// The tools of a leader in mode `tasks`: to manage the list, and to have members execute tasks.
import * as TeamTask from "@svc-runtime/domain/TeamTask"
import { ChildRun } from "@svc-runtime/engine/tool/ChildRun"
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import * as CallKey from "../agent/execute/calls/CallKey.ts"
import * as Delegation from "./Delegation.ts"
import * as TaskList from "./TaskList.ts"
import type { Team } from "./Team.ts"

const text = (description: string) => Schema.String.annotate({ description })
const taskId = text("The id of the task")

const Create = Schema.Struct({
  title: text("What it is about, in a few words"),
  description: text("What is to be done, with all that is needed to do it"),
  member_id: Schema.optionalKey(text("The id of the member who is to do it")),
  depends_on: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The ids of the tasks that have to be completed before" })
  )
})
const Update = Schema.Struct({
  task_id: taskId,
  status: TeamTask.Status,
  result: Schema.optionalKey(text("The result of the task"))
})
const Execute = Schema.Struct({
  task_id: taskId,
  member_id: Schema.optionalKey(text("The id of the member who does it; left out, the one whom it was given to"))
})
const ExecuteAll = Schema.Struct({
  task_ids: Schema.Array(Schema.String).annotate({ description: "The ids of the tasks, each given to a member" })
})
const Complete = Schema.Struct({ summary: text("What was reached") })

const declared = {
  create: Delegation.declare({ name: "create_task", description: "Puts a task on the list.", parameters: Create }),
  update: Delegation.declare({
    name: "update_task_status",
    description: "Says how a task stands that you have dealt with yourself, or give up.",
    parameters: Update
  }),
  execute: Delegation.declare({
    name: "execute_task",
    description: "Has a member do a task, and returns its result.",
    parameters: Execute
  }),
  executeAll: Delegation.declare({
    name: "execute_tasks_parallel",
    description: "Has members do tasks at the same time that do not depend on each other, and returns their results.",
    parameters: ExecuteAll
  }),
  list: Delegation.declare({ name: "list_tasks", description: "Shows the list." }),
  complete: Delegation.declare({
    name: "mark_all_complete",
    description: "Says that the request is fulfilled, whatever is left on the list.",
    parameters: Complete
  })
}

/** The tools whose calls are member runs. */
export const toolNames: ReadonlyArray<string> = [declared.execute.name, declared.executeAll.name]

type Context = Parameters<Tool.Tool["call"]>[1]

/** One task for one member. */
const perform = Effect.fnUntraced(function*(
  { ask, list, team }: Desk,
  { key, member_id, task_id }: { readonly key: string; readonly task_id: string; readonly member_id?: string },
  context: Context
) {
  const task = list.find(task_id)
  if (task === undefined) {
    return yield* Delegation.failed(
      `There is no task '${task_id}'. Tasks: ${list.all().map(({ id }) => id).join(", ")}`
    )
  }
  const before = list.openBefore(task)
  if (before.length > 0) return yield* Delegation.failed(`${task_id} waits for ${before.join(", ")}`)
  const assignee = member_id ?? task.assignee
  if (assignee === undefined) return yield* Delegation.failed(`${task_id} has no assignee: name a member_id`)
  const member = yield* Delegation.memberOf(team, assignee)
  const known = task.dependencies.flatMap((id) => {
    const { result, title } = list.find(id) ?? {}
    return result === undefined ? [] : [`<result of="${title}">\n${result}\n</result>`]
  })
  const output = yield* ask({
    key,
    onBegin: list.update(task_id, { status: "in_progress", assignee }),
    member,
    task: [`${task.title}\n\n${task.description}`, ...known].join("\n\n"),
    sessionState: context.sessionState
  })
  const child = Delegation.childRun(member, output)
  if (child.requirements.length === 0) {
    yield* list.update(task_id, { status: child.isFailure ? "failed" : "completed", result: child.content })
  }
  return child
})

interface Desk {
  readonly team: Team
  readonly ask: Delegation.AskMember
  readonly list: TaskList.TaskList
}

const performAll = Effect.fnUntraced(function*(desk: Desk, ids: ReadonlyArray<string>, context: Context) {
  const children = yield* Effect.forEach(
    new Set(ids),
    (task_id) =>
      Effect.map(
        perform(desk, { key: CallKey.part(Delegation.keyOf(context), task_id), task_id }, context),
        (child) => ({ task_id, child })
      ),
    { concurrency: "unbounded" }
  )
  return new ChildRun({
    run_id: undefined,
    content: children.map(({ child, task_id }) => `${task_id}${child.isFailure ? ", failed" : ""}:\n${child.content}`)
      .join("\n\n"),
    isFailure: children.every(({ child }) => child.isFailure),
    requirements: children.flatMap(({ child }) => child.requirements)
  })
})

export const tools = (team: Team, ask: Delegation.AskMember, list: TaskList.TaskList): ReadonlyArray<Tool.Tool> => {
  const desk: Desk = { team, ask, list }
  return [
    Delegation.tool(
      declared.create,
      Create,
      ({ depends_on = [], description, member_id, title }, context) =>
        Effect.map(
          list.create(Delegation.keyOf(context), {
            title,
            description,
            dependencies: depends_on,
            ...(member_id === undefined ? {} : { assignee: member_id })
          }),
          ({ id, status }) => `${id} is ${status}`
        )
    ),
    Delegation.tool(declared.update, Update, ({ task_id, ...change }) =>
      list.find(task_id) === undefined
        ? Delegation.failed(`There is no task '${task_id}'`)
        : Effect.as(list.update(task_id, change), `${task_id} is ${change.status}`)),
    Delegation.tool(
      declared.execute,
      Execute,
      (input, context) => perform(desk, { key: Delegation.keyOf(context), ...input }, context)
    ),
    Delegation.tool(declared.executeAll, ExecuteAll, ({ task_ids }, context) => performAll(desk, task_ids, context)),
    Delegation.tool(declared.list, Schema.Struct({}), () => Effect.succeed(TaskList.linesOf(list))),
    Delegation.tool(
      declared.complete,
      Complete,
      ({ summary }) => Effect.as(list.reach(summary), "Noted. Now write the answer.")
    )
  ]
}
