// A team as its author writes it: members, which are agents or other teams, and a leader who decides what each of them is
// asked. The leader takes the settings of an agent; `make` refuses what could never work, with the way to it in the text.
import { Team as TeamSchema } from "@svc/domain"
import { Predicate } from "effect"
import * as Agent from "../agent/Agent.ts"
import * as Validate from "../usercode/Validate.ts"

export type Member = Agent.Agent | Team

export interface Options extends Omit<Agent.Options, "systemMessage" | "buildContext"> {
  /** At least one. Each has an id of its own in the team. */
  readonly members: ReadonlyArray<Member>
  /**
   * `coordinate`, which is meant when this is left out: the leader asks members and answers with what they said. `route`:
   * the answer of the member whom the leader chooses is the answer. `broadcast`: every member is asked the same. `tasks`:
   * the leader sets up a list of tasks and has members do them until the goal is reached.
   */
  readonly mode?: TeamSchema.Mode | undefined
  /** Show what happens to members among the events of the team. True when left out. */
  readonly streamMemberEvents?: boolean | undefined
  /** How often the leader of a team in mode `tasks` is asked at most. Ten times when left out. */
  readonly maxIterations?: number | undefined
}

export interface Team {
  readonly _tag: "Team"
  readonly id: TeamSchema.Id
  readonly name: string
  readonly role: string | undefined
  readonly mode: TeamSchema.Mode
  readonly members: ReadonlyMap<string, Member>
  readonly streamMemberEvents: boolean
  readonly maxIterations: number
  /** Whose model decides, without the tools by which it asks members. */
  readonly leader: Agent.Agent
}

export const isTeam = (value: unknown): value is Team =>
  Predicate.isTagged(value, "Team") && Predicate.hasProperty(value, "id") && Predicate.isString(value.id)

/** A team inside of itself would ask itself for ever. */
const refuseCycles = (path: ReadonlyArray<string>, members: Iterable<Member>): void => {
  for (const member of members) {
    if (!isTeam(member)) continue
    const way = [...path, member.id]
    if (path.includes(member.id)) {
      throw new Error(`Team '${path[0]}' is a member of itself: ${way.join(" > ")}. Give one of the two another id`)
    }
    refuseCycles(way, member.members.values())
  }
}

const membersOf = (id: string, members: ReadonlyArray<Member>): ReadonlyMap<string, Member> => {
  if (members.length === 0) throw new Error(`Team '${id}' has no members. Give it at least one agent or team`)
  const byId = new Map<string, Member>()
  for (const member of members) {
    if (byId.has(member.id)) {
      throw new Error(`Team '${id}' has two members with the id '${member.id}': ${id} > ${member.id}`)
    }
    byId.set(member.id, member)
  }
  refuseCycles([id], members)
  return byId
}

export const make = ({ maxIterations, members, mode, streamMemberEvents, ...options }: Options): Team => {
  const leader = Agent.named("Team", options)
  return {
    _tag: "Team",
    id: TeamSchema.Id.make(leader.id),
    name: leader.name,
    role: leader.role,
    mode: mode ?? "coordinate",
    members: membersOf(leader.id, members),
    streamMemberEvents: streamMemberEvents ?? true,
    maxIterations: Validate.wholeNumber(`Team '${leader.id}'`, "maxIterations", 1, maxIterations ?? 10),
    leader
  }
}
