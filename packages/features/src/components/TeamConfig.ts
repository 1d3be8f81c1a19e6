// The config of a stored team: that of an agent for its leader, and members.
import { type Agent, isAgent } from "@svc-runtime/agents/agent/define/Agent"
import * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as TeamSchema from "@svc-runtime/domain/Team"
import { Predicate, Result, Schema } from "effect"
import * as Team from "../Team.ts"
import * as AgentConfig from "./AgentConfig.ts"
import { checkWith, type ConfigModule } from "./ConfigModule.ts"
import { childOf, type Reference } from "./ConfigReferences.ts"
import * as ConfigResources from "./ConfigResources.ts"

const { Count, Name } = ConfigResources

const Member = Schema.Union([
  Schema.Struct({ type: Schema.Literal("team"), team_id: Name }),
  Schema.Struct({ type: optional(Schema.Literal("agent")), agent_id: Name })
])

export const TeamConfig = Schema.Struct({
  ...AgentConfig.fields,
  members: optional(Schema.Array(Member).check(Schema.isMaxLength(100))),
  mode: optional(TeamSchema.Mode),
  stream_member_events: optional(Schema.Boolean),
  max_iterations: optional(Count)
})
type TeamConfig = typeof TeamConfig.Type

const decode = Schema.decodeUnknownResult(TeamConfig, { errors: "all" })

const referencesOf = ({ members }: TeamConfig): ReadonlyArray<Reference> =>
  (members ?? []).map((member, index) =>
    "team_id" in member
      ? { kind: "team", id: member.team_id, path: ["members", index] }
      : { kind: "agent", id: member.agent_id, path: ["members", index] }
  )

const references: ConfigModule["references"] = (config) =>
  Result.match(decode(config), { onFailure: () => [], onSuccess: referencesOf })

const isMember = (value: unknown): value is Agent | Team.Team => isAgent(value) || Team.isTeam(value)

const resolve: ConfigModule<Team.Team>["resolve"] = (names, identity, config, children) => {
  const decoded = decode(config)
  if (Result.isFailure(decoded)) return Result.fail(ConfigProblem.ofSchema(decoded.failure))
  const resources = ConfigResources.make(names)
  const options = AgentConfig.optionsOf(identity, decoded.success, names, resources, "team")
  const members = referencesOf(decoded.success).flatMap((reference) =>
    resources.noted(childOf(children, reference, isMember))
  )
  if (resources.problems.length > 0) return Result.fail(resources.problems)
  const { max_iterations, mode, stream_member_events } = decoded.success
  return Result.try({
    try: () =>
      Team.make({
        members,
        // those of a team in code
        ...options,
        ...(members.length === 0 ? {} : { members }),
        ...(Predicate.isNullish(mode) ? {} : { mode }),
        ...(Predicate.isNullish(stream_member_events) ? {} : { streamMemberEvents: stream_member_events }),
        ...(Predicate.isNullish(max_iterations) ? {} : { maxIterations: max_iterations })
      }),
    catch: ConfigProblem.ofError
  })
}

export const TeamConfigModule: ConfigModule<Team.Team> = { check: checkWith(TeamConfig), references, resolve }
