// The tools with which a leader calls members. Each call is a member run, and the result of the call is the member's
// answer. After a crash the call is repeated and resumes the member run.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import { ChildRun } from "@svc-runtime/engine/tool/ChildRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import * as CallKey from "../agent/execute/calls/CallKey.ts"
import * as Text from "../agent/execute/Text.ts"
import * as BackgroundTasks from "../nested/BackgroundTasks.ts"
import type { InnerComponent } from "../nested/InnerCommand.ts"
import type { MemberRequest } from "./MemberRuns.ts"
import type { Member, Team } from "./Team.ts"

/** Calls a member, in the run of the tool call. */
export type AskMember = (asking: MemberRequest) => Effect.Effect<AnyRun.Output>

type Context = Parameters<Tool.Tool["call"]>[1]

export const failed = (message: string) => Effect.fail(new Tool.ToolFailed({ message, cause: undefined }))

export const memberOf = ({ members }: Team, id: string): Effect.Effect<Member, Tool.ToolFailed> => {
  const member = members.get(id)
  return member === undefined
    ? failed(`There is no member '${id}'. Members: ${[...members.keys()].join(", ")}`)
    : Effect.succeed(member)
}

type Called = Pick<InnerComponent, "id" | "name">

const waitingIn = (member: Called, { requirements = [], run_id, status }: AnyRun.Output) =>
  status !== "PAUSED" ? [] : requirements
    .filter(Requirement.isOpen)
    .map((requirement): Requirement.Requirement => ({
      member_agent_id: member.id,
      member_agent_name: member.name,
      member_run_id: run_id,
      // a nested team has set its own ids already
      ...requirement
    }))

const waitsFor = (requirements: ReadonlyArray<Requirement.Requirement>): string =>
  requirements.every(({ tool_execution: { wake_at } }) => wake_at !== undefined) ? "waits for a time" : "needs a person"

/** The result of a member's run for the leader. */
export const childRun = (member: Called, output: AnyRun.Output): ChildRun => {
  const text = Text.ofJson(output.content ?? "")
  const requirements = waitingIn(member, output)
  return new ChildRun({
    run_id: Run.Id.make(output.run_id),
    content: requirements.length === 0
      ? text
      : `${member.name} ${waitsFor(requirements)} before it can continue. ${text}`,
    isFailure: output.status !== "COMPLETED" && requirements.length === 0,
    requirements
  })
}

/** Identifies a call of its run: the same in every attempt, and in a fork of the run, which has another id. */
export const keyOf = ({ effectId, runId }: Context): string => CallKey.ofEffect(runId, effectId)

/** As a tool that runs members: repeated after a crash, and without a timeout while a member runs. */
export const tool = <A>(
  declaration: Tool.Tool,
  parameters: Schema.Codec<A, Json.Object>,
  call: (input: A, context: Context) => Effect.Effect<unknown, Tool.ToolFailed>
): Tool.Tool => {
  const decode = Schema.decodeUnknownEffect(parameters)
  return {
    ...declaration,
    call: (input, context) =>
      Effect.flatMap(
        Effect.catch(decode(input), ({ message }) => failed(`Invalid arguments: ${message}`)),
        (given) => call(given, context)
      )
  }
}

/** `tool` answers the calls. */
export const declare = (options: Omit<Tool.Options<Schema.Codec<unknown>>, "execute" | "effects">): Tool.Tool => {
  const declared = Tool.make({
    ...options,
    effects: "idempotent",
    execute: () => Effect.die(new Error(`No member answers the calls of '${options.name}'`))
  })
  return { ...declared, parameters: { ...declared.parameters, additionalProperties: false } }
}

const task = Schema.String.annotate({
  description: "What the member is to do, with all that it needs to know, and what a good answer looks like"
})

const ToMember = Schema.Struct({
  member_id: Schema.String.annotate({ description: "The id of the member" }),
  task
})

const ToMembers = Schema.Struct({ task })

const toMember = declare({
  name: "delegate_task_to_member",
  description: "Gives a task to one member of the team, and returns the member's answer.",
  parameters: ToMember
})

const toMembers = declare({
  name: "delegate_task_to_members",
  description: "Gives the same task to every member of the team at once, and returns all of their answers.",
  parameters: ToMembers
})

/** With the schema enforced, a model cannot name an unknown member. */
const naming = ({ members }: Team): Tool.Tool["parameters"] => {
  const { properties = {} } = toMember.parameters as { readonly properties?: Readonly<Record<string, object>> }
  return {
    ...toMember.parameters,
    properties: { ...properties, member_id: { ...properties["member_id"], enum: [...members.keys()] } }
  }
}

/** The tools whose calls are member runs. */
export const toolNames: ReadonlyArray<string> = [toMember.name, toMembers.name]

const askMember = (team: Team, ask: AskMember): Tool.Tool =>
  tool(
    { ...toMember, parameters: naming(team), stopAfterCall: team.mode === "route" },
    ToMember,
    Effect.fnUntraced(function*({ member_id, task }, context) {
      const member = yield* memberOf(team, member_id)
      const { sessionState } = context
      return yield* BackgroundTasks.startOr(
        {
          settings: team.backgroundMembers.get(member_id),
          tool: toMember.name,
          component: member,
          input: task,
          context
        },
        Effect.map(ask({ key: keyOf(context), member, task, sessionState }), (output) => childRun(member, output))
      )
    })
  )

const labelled = ({ id, name }: Member, { content, isFailure }: ChildRun) =>
  `${name} (${id})${isFailure ? ", who failed" : ""}:\n${content}`

const askMembers = (team: Team, ask: AskMember): Tool.Tool =>
  tool(
    toMembers,
    ToMembers,
    Effect.fnUntraced(function*({ task }, context) {
      const answers = yield* Effect.forEach(
        team.members.values(),
        (member) =>
          Effect.map(
            ask({ key: CallKey.part(keyOf(context), member.id), member, task, sessionState: context.sessionState }),
            (output) => [member, childRun(member, output)] as const
          ),
        { concurrency: "unbounded" }
      )
      return new ChildRun({
        run_id: undefined,
        content: answers.map(([member, answer]) => labelled(member, answer)).join("\n\n"),
        isFailure: answers.every(([, { isFailure }]) => isFailure),
        requirements: answers.flatMap(([, { requirements }]) => requirements)
      })
    })
  )

/** The tools with which a leader calls members. */
export const tools = (
  team: Team,
  ask: AskMember
): ReadonlyArray<Tool.Tool> => [team.mode === "broadcast" ? askMembers(team, ask) : askMember(team, ask)]
