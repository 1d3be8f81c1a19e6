// A team as its author defines it: members, which are agents or other teams, and a leader that calls them. The leader
// takes the settings of an agent. `make` rejects invalid teams, with the path to the mistake.
import * as TeamSchema from "@svc-runtime/domain/Team"
import type { DatabaseHandle } from "@svc-runtime/engine/DatabaseHandle"
import type { Limits } from "@svc-runtime/engine/run/StartLimits"
import type { RunSchemas } from "@svc-runtime/engine/tool/RunSchemas"
import { madeOf, mismatch, Mistake, unmade } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Checked, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Predicate } from "effect"
import * as Agent from "../agent/define/Agent.ts"
import type { AgentPart } from "../agent/define/AgentPart.ts"
import { type TeamMethods, withMethods } from "../component/ComponentMethods.ts"
import * as BackgroundOption from "../nested/BackgroundOption.ts"

export type Member = Agent.Agent | Team

export interface Options<R extends RunSchemas = NonNullable<unknown>>
  extends Omit<Agent.Options<R>, "systemMessage" | "buildContext">
{
  /** At least one. Ids are unique in the team. */
  readonly members: ReadonlyArray<Member>
  /**
   * `coordinate` (the default): the leader calls members and combines their answers. `route`: the answer of the
   * selected member is the answer. `broadcast`: every member gets the same task. `tasks`: the leader creates a list of
   * tasks, and members execute them until the goal is reached.
   */
  readonly mode?: TeamSchema.Mode | undefined
  /** Show the events of members in the team's stream. Default: true. */
  readonly streamMemberEvents?: boolean | undefined
  /** The maximum number of iterations of a leader in mode `tasks`. Default: 10. */
  readonly maxIterations?: number | undefined
  /**
   * The ids of members that work in the background: the leader gets the id of a task at once, and the answer joins the
   * session later. Only in mode `coordinate`, and the service has to serve these members.
   */
  readonly backgroundMembers?: Readonly<Record<string, BackgroundOption.Options | boolean>> | undefined
}

export interface Team extends TeamMethods {
  readonly _tag: "Team"
  readonly id: TeamSchema.Id
  readonly name: string
  readonly role: string | undefined
  readonly db: DatabaseHandle | undefined
  readonly limits: Limits | undefined
  readonly mode: TeamSchema.Mode
  readonly members: ReadonlyMap<string, Member>
  readonly streamMemberEvents: boolean
  readonly maxIterations: number
  /** Of the members that work in the background, by their ids. */
  readonly backgroundMembers: ReadonlyMap<string, BackgroundOption.Settings>
  /** The agent whose model decides, without its member tools. */
  readonly leader: Agent.Agent
}

export const isTeam = (value: unknown): value is Team =>
  Predicate.isTagged(value, "Team") && Predicate.hasProperty(value, "id") && Predicate.isString(value.id)

/** The leader of a team, whose options are those of the team. Other components are returned unchanged. */
export const leaderOrSelf = <A>(component: A): Agent.Agent | Exclude<A, Team> =>
  isTeam(component) ? component.leader : component as Exclude<A, Team>

/** A team inside itself would recurse forever. */
const refuseCycles = (path: ReadonlyArray<string>, members: Iterable<Member>): void => {
  for (const member of members) {
    if (!isTeam(member)) continue
    const way = [...path, member.id]
    if (path.includes(member.id)) {
      throw new Mistake(`Team '${path[0]}' is a member of itself: ${way.join(" > ")}. Give one of the two another id`)
    }
    refuseCycles(way, member.members.values())
  }
}

const options: AuthorOptions.Kinds<Exclude<keyof Options, keyof Agent.Options>> = {
  members: "list",
  mode: { oneOf: TeamSchema.Mode.literals },
  streamMemberEvents: "flag",
  maxIterations: "any",
  backgroundMembers: { each: { options: BackgroundOption.kinds, orFlag: true } }
}

const backgroundOf = (
  id: string,
  mode: TeamSchema.Mode,
  members: ReadonlyMap<string, Member>,
  given: NonNullable<Options["backgroundMembers"]> = {}
): ReadonlyMap<string, BackgroundOption.Settings> => {
  const owner = `Team '${id}'`
  const found = Object.entries(given).flatMap(([member, options]) => {
    if (!members.has(member)) throw new Mistake(`${owner}: backgroundMembers names '${member}', which is no member`)
    const settings = BackgroundOption.settings(owner, options)
    return settings === undefined ? [] : [[member, settings] as const]
  })
  if (found.length > 0 && mode !== "coordinate") {
    throw new Mistake(`${owner}: members work in the background in mode 'coordinate' only, and its mode is '${mode}'`)
  }
  return new Map(found)
}

const isWorkflowMade = (value: unknown): boolean => Predicate.isObject(value) && madeOf(value)?.kind === "Workflow"

const membersOf = (id: string, members: ReadonlyArray<Member> = []): ReadonlyMap<string, Member> => {
  if (members.length === 0) throw new Mistake(`Team '${id}' has no members. Give it at least one agent or team`)
  const byId = new Map<string, Member>()
  for (const [index, member] of members.entries()) {
    if (!Agent.isAgent(member) && !isTeam(member)) {
      throw mismatch(
        `Team '${id}': members[${index}]`,
        "an agent or a team",
        member,
        isWorkflowMade(member) ? "Make a tool of it with ComponentTool.make" : unmade(member, "Agent.make or Team.make")
      )
    }
    if (byId.has(member.id)) {
      throw new Mistake(`Team '${id}' has two members with the id '${member.id}': ${id} > ${member.id}`)
    }
    byId.set(member.id, member)
  }
  refuseCycles([id], members)
  return byId
}

/** The team with the options that `parts` read. Authors call `make` of the features, which has all parts. */
export const define = <
  const R extends RunSchemas = NonNullable<unknown>,
  const M extends ModelRef | undefined = ModelRef | undefined
>(
  given: Options<R> & { readonly model?: M & Checked<M> },
  parts: ReadonlyArray<AgentPart>
): Team => {
  const leader = Agent.named("Team", given as Agent.Options, parts, options)
  const { backgroundMembers, maxIterations, members: listed, mode = "coordinate", streamMemberEvents } = given
  const members = membersOf(leader.id, listed)
  return withMethods<Team>("team", {
    _tag: "Team",
    id: TeamSchema.Id.make(leader.id),
    name: leader.name,
    role: leader.role,
    db: leader.db,
    limits: leader.limits,
    mode,
    members,
    streamMemberEvents: streamMemberEvents ?? true,
    maxIterations: Validate.wholeNumber(`Team '${leader.id}'`, "maxIterations", 1, maxIterations ?? 10),
    backgroundMembers: backgroundOf(leader.id, mode, members, backgroundMembers),
    leader
  })
}
