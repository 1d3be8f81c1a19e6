// The actions of a workflow socket that act on runs. An entry has what the action requires, what else it takes, and its
// function. The table in docs/guides/workflows.md is written from it.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { CurrentPrincipal } from "@svc-runtime/api"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"
import { error, type SocketMessage } from "./SocketMessage.ts"
import * as SocketRuns from "./SocketRuns.ts"

interface Subject {
  readonly workflow_id: string | undefined
  readonly run_id: Run.Id | undefined
  readonly session_id: Session.Id | undefined
}

interface Requirement {
  readonly field: keyof Subject
  readonly from: "everyone" | "isolated callers"
  /** The error of a message without the field. */
  readonly text: string
}

/** The fields of the subject. Required fields are present. */
type Given<Required extends ReadonlyArray<Requirement>> =
  & Subject
  & {
    readonly [R in Extract<Required[number], { readonly from: "everyone" }> as R["field"]]: NonNullable<
      Subject[R["field"]]
    >
  }

type Replying = Effect.Effect<SocketRuns.Reply, never, CurrentPrincipal>

interface Options<Required extends ReadonlyArray<Requirement>> {
  readonly scope: string
  /** What a caller without the scope may not do. */
  readonly forbidden: string
  /** In the order in which they are checked. */
  readonly required: Required
  readonly optional: ReadonlyArray<keyof SocketMessage>
  /** Whether the socket follows the run: it needs room for one more. */
  readonly isFollowing: boolean
  readonly run: (service: RunService["Service"], subject: Given<Required>, message: SocketMessage) => Replying
}

export interface Action extends Omit<Options<ReadonlyArray<Requirement>>, "run"> {
  readonly run: (service: RunService["Service"], subject: Subject, message: SocketMessage) => Replying
}

const hasAll = <Required extends ReadonlyArray<Requirement>>(
  required: Required,
  subject: Subject
): subject is Given<Required> =>
  required.every(({ field, from }) => from !== "everyone" || subject[field] !== undefined)

const action = <const Required extends ReadonlyArray<Requirement>>(options: Options<Required>): Action => ({
  ...options,
  run: (service, subject, message) =>
    hasAll(options.required, subject)
      ? options.run(service, subject, message)
      : Effect.die(new Error("A required field of an action was not checked"))
})

const workflow = { field: "workflow_id", from: "everyone", text: "workflow_id is required" } as const
const run = { field: "run_id", from: "everyone", text: "run_id is required" } as const
const session = { field: "session_id", from: "everyone", text: "session_id is required for this action" } as const

export const actions: Readonly<Record<string, Action>> = {
  "start-workflow": action({
    scope: "workflows:run",
    forbidden: "run this workflow",
    required: [workflow],
    optional: [
      "message",
      "run_id",
      "session_id",
      "user_id",
      "version",
      "factory_input",
      ...RunOption.namesOf(RunOption.start),
      ...RunOption.namesOf(RunOption.inherited),
      ...RunOption.namesOf(RunOption.disconnect)
    ],
    isFollowing: true,
    run: (service, { workflow_id }, message) => SocketRuns.start(service, workflow_id, message)
  }),
  "continue-workflow": action({
    scope: "workflows:run",
    forbidden: "continue this workflow",
    required: [workflow, run, session],
    optional: [
      "requirements",
      "step_requirements",
      "error_requirements",
      "user_id",
      "factory_input",
      ...RunOption.namesOf(RunOption.disconnect)
    ],
    isFollowing: true,
    run: (service, { run_id, session_id, workflow_id }, message) =>
      SocketRuns.resume(service, { workflowId: workflow_id, run_id, session_id }, message)
  }),
  "cancel-workflow": action({
    scope: "workflows:run",
    forbidden: "cancel this workflow",
    required: [workflow, run, { ...session, from: "isolated callers" }],
    optional: ["session_id"],
    isFollowing: false,
    run: (service, { run_id, session_id, workflow_id }) =>
      SocketRuns.cancel(service, { workflowId: workflow_id, run_id, session_id })
  }),
  reconnect: action({
    scope: "workflows:run",
    forbidden: "reconnect to this workflow",
    required: [
      {
        field: "workflow_id",
        from: "isolated callers",
        text: "workflow_id is required to reconnect to a workflow run"
      },
      { field: "session_id", from: "isolated callers", text: "session_id is required to reconnect to a workflow run" },
      { field: "run_id", from: "everyone", text: "run_id is required for subscription" }
    ],
    optional: ["workflow_id", "session_id", "last_event_index"],
    isFollowing: true,
    run: (service, { run_id, session_id, workflow_id }, message) =>
      SocketRuns.reconnect(service, { workflowId: workflow_id, run_id, session_id }, message)
  })
}

const present = (value: string | null | undefined) => value === null || value === "" ? undefined : value

/** What a message is about. `workflowId` is the workflow that the path of the socket names. */
const subjectOf = (
  { session_id: bound }: Principal.Principal,
  message: SocketMessage,
  workflowId: string | undefined
): Subject => {
  const run_id = present(message.run_id)
  const session_id = bound ?? present(message.session_id)
  return {
    workflow_id: present(message.workflow_id) ?? workflowId,
    run_id: run_id === undefined ? undefined : Run.Id.make(run_id),
    session_id: session_id === undefined ? undefined : Session.Id.make(session_id)
  }
}

const refuse = (text: string): Effect.Effect<SocketRuns.Reply> => Effect.succeed({ frame: error(text) })

/** Why the caller may not do it: asked again while a run is followed, since roles change. Undefined: it is allowed. */
export const refusalOf = (
  { forbidden, scope }: Action,
  caller: Principal.Principal,
  message: SocketMessage,
  workflowId: string | undefined
): string | undefined => {
  const { workflow_id: id } = subjectOf(caller, message, workflowId)
  return Principal.may(caller, scope, id === undefined ? undefined : { resource: "workflows", id })
    ? undefined
    : `Insufficient permissions to ${forbidden}`
}

/** Performs an action for a caller who may run the workflow and gives all that it requires. */
export const perform = (
  action: Action,
  { caller, message, service, workflowId }: {
    readonly service: RunService["Service"]
    readonly caller: Principal.Principal
    readonly message: SocketMessage
    readonly workflowId: string | undefined
  }
): Replying => {
  const { required, run } = action
  const refusal = refusalOf(action, caller, message, workflowId)
  if (refusal !== undefined) return refuse(refusal)
  const subject = subjectOf(caller, message, workflowId)
  const missing = required.find(({ field, from }) =>
    subject[field] === undefined && (from === "everyone" || caller.isIsolated)
  )
  return missing === undefined ? run(service, subject, message) : refuse(missing.text)
}

const code = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(", ")

/** The table of the actions in Markdown. */
export const documentation = ["| action | requires | also takes | scope |", "| --- | --- | --- | --- |"].concat(
  Object.entries(actions).map(([name, { optional, required, scope }]) => {
    const fields = required.filter(({ from }) => from === "everyone").map(({ field }) => field)
    return `| ${code([name])} | ${code(fields)} | ${code(optional)} | ${code([scope])} |`
  })
)
