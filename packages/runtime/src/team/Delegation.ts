// The tools by which a leader asks members. Each call is a run of a member: what that answers is what the leader reads,
// and when the service has stopped in the middle of a call, the call is made again and the run goes on.
import { type Json, Requirement, Run, type TeamRun } from "@svc/domain"
import { Effect, Schema } from "effect"
import * as Text from "../agent/Text.ts"
import { ChildRun } from "../tool/ChildRun.ts"
import * as Tool from "../tool/Tool.ts"
import type { MemberRequest } from "./MemberRuns.ts"
import type { Member, Team } from "./Team.ts"

/** Asks a member, in whatever run the call belongs to. */
export type AskMember = (asking: MemberRequest) => Effect.Effect<TeamRun.MemberResponse>

type Context = Parameters<Tool.Tool["call"]>[1]

export const failed = (message: string) => Effect.fail(new Tool.ToolFailed({ message, cause: undefined }))

export const memberOf = ({ members }: Team, id: string): Effect.Effect<Member, Tool.ToolFailed> => {
  const member = members.get(id)
  return member === undefined
    ? failed(`There is no member '${id}'. Members: ${[...members.keys()].join(", ")}`)
    : Effect.succeed(member)
}

const waitingIn = (member: Member, { requirements = [], run_id, status }: TeamRun.MemberResponse) =>
  status !== "PAUSED" ? [] : requirements
    .filter(Requirement.isOpen)
    .map((requirement): Requirement.Requirement => ({
      member_agent_id: member.id,
      member_agent_name: member.name,
      member_run_id: run_id,
      // in a team inside of the team it says already whose it is
      ...requirement
    }))

/** What the leader reads of a member's run. */
export const childRun = (member: Member, output: TeamRun.MemberResponse): ChildRun => {
  const text = Text.ofJson(output.content ?? "")
  const requirements = waitingIn(member, output)
  return new ChildRun({
    run_id: Run.Id.make(output.run_id),
    content: requirements.length === 0 ? text : `${member.name} needs a person before it can go on. ${text}`,
    isFailure: output.status !== "COMPLETED" && requirements.length === 0,
    requirements
  })
}

/** Names a call among those of its run: the same in every attempt, and in a copy of the run, which has another id. */
export const keyOf = ({ effectId, runId }: Context): string => effectId.slice(runId.length + 1)

/** As a tool that runs members: made again after a crash, and never given up while a member is at work. */
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

/** Calls are answered by `tool`. */
export const declare = (options: Omit<Tool.Options<Schema.Codec<unknown>>, "execute" | "effects">): Tool.Tool => {
  const declared = Tool.make({
    ...options,
    effects: "idempotent",
    execute: () => Effect.die(new Error(`Nobody answers the calls of '${options.name}'`))
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

/** A model that is held to the schema names nobody who is not there. */
const naming = ({ members }: Team): Tool.Tool["parameters"] => {
  const { properties = {} } = toMember.parameters as { readonly properties?: Readonly<Record<string, object>> }
  return {
    ...toMember.parameters,
    properties: { ...properties, member_id: { ...properties["member_id"], enum: [...members.keys()] } }
  }
}

const askMember = (team: Team, ask: AskMember): Tool.Tool =>
  tool(
    { ...toMember, parameters: naming(team), stopAfterCall: team.mode === "route" },
    ToMember,
    Effect.fnUntraced(function*({ member_id, task }, context) {
      const member = yield* memberOf(team, member_id)
      return childRun(member, yield* ask({ key: keyOf(context), member, task, sessionState: context.sessionState }))
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
            ask({ key: `${keyOf(context)}.${member.id}`, member, task, sessionState: context.sessionState }),
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

/** By which the leader of a team reaches its members. */
export const tools = (
  team: Team,
  ask: AskMember
): ReadonlyArray<Tool.Tool> => [team.mode === "broadcast" ? askMembers(team, ask) : askMember(team, ask)]
