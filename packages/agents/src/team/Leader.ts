// The leader of a team: an agent with the author's settings, descriptions of the members, the team mode, and the tools
// to call members.
import type * as TeamSchema from "@svc-runtime/domain/Team"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect } from "effect"
import type * as Agent from "../agent/define/Agent.ts"
import * as AgentTools from "../agent/define/AgentTools.ts"
import * as Delegation from "./Delegation.ts"
import * as TaskList from "./TaskList.ts"
import * as TaskTools from "./TaskTools.ts"
import { isTeam, leaderOrSelf, type Member, type Team } from "./Team.ts"

const ways: Readonly<Record<TeamSchema.Mode, string>> = {
  coordinate: `Decide which members can help, and give each a task that can be understood without this conversation.
Several members may be asked, one after the other or at once. When an answer is not good enough, ask again and say what is
missing. Then write one answer of your own that joins what they have found. What you know yourself you answer without them.`,
  route:
    `Choose the one member who can answer best, and pass the request on as it was meant. The member's answer goes to
the user as it is, so you add nothing to it. What no member is for you answer yourself.`,
  broadcast: `Give the request to all members at once. Then write one answer that says where they agree, where they
differ, and what follows.`,
  tasks: `Break the request down into tasks, say which of them need others to be done before, and have members execute
them. Tasks that do not depend on each other are executed in parallel. Look at the results; add, repeat or give up tasks
where that is needed. When the request is fulfilled, say so with the tool for that, and then write the answer.`
}

const describe = (member: Member, indent: string): string => {
  const { role } = member
  const head = `${indent}<member id="${member.id}" name="${member.name}"${isTeam(member) ? ` kind="team"` : ""}>`
  const tools = [...leaderOrSelf(member).tools.keys()]
  const lines = [
    ...(role === undefined ? [] : [`${indent}  Role: ${role}`]),
    ...(tools.length === 0 ? [] : [`${indent}  Tools: ${tools.join(", ")}`]),
    ...(isTeam(member) ? [...member.members.values()].map((each) => describe(each, `${indent}  `)) : [])
  ]
  return [head, ...lines, `${indent}</member>`].join("\n")
}

const introduction = ({ members, mode }: Team): string =>
  [
    "You lead a team that answers the user's requests.",
    `<team_members>\n${[...members.values()].map((member) => describe(member, "")).join("\n")}\n</team_members>`,
    `<how_to_work>\n${ways[mode]}\n</how_to_work>`
  ].join("\n\n")

const introductions = new WeakMap<Team, string>()

const introductionOf = (team: Team): string => {
  const known = introductions.get(team)
  if (known !== undefined) return known
  const text = introduction(team)
  introductions.set(team, text)
  return text
}

/** The access to its members. */
export const toolsOf = (team: Team, ask: Delegation.AskMember, list: TaskList.TaskList): ReadonlyArray<Tool> =>
  team.mode === "tasks" ? TaskTools.tools(team, ask, list) : Delegation.tools(team, ask)

/** With the tools of one run. */
export const withTools = (team: Team, leader: Agent.Agent, tools: ReadonlyArray<Tool>): Agent.Agent => {
  const description = [introductionOf(team), leader.description].filter((text) => text !== undefined).join("\n\n")
  return { ...leader, description, tools: AgentTools.byName(`Team '${team.id}'`, [...leader.tools.values(), ...tools]) }
}

const noTasks = TaskList.make(
  { members: new Map(), tasks: new Map(), goal: undefined, iteration: 1, record: () => Effect.void },
  () => {}
)

/** The leader with its member tools, for discovery. */
export const shown = (team: Team): Agent.Agent => {
  const { leader } = team
  const asking = toolsOf(team, () => Effect.die(new Error("The tools of a shown team are not called")), noTasks)
  return { ...leader, tools: new Map([...leader.tools, ...asking.map((tool) => [tool.name, tool] as const)]) }
}
