// Finds what a workflow could wait for. A tool cannot pass on the decisions that its steps need.
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { Agent } from "../agent/define/Agent.ts"
import * as Team from "../team/Team.ts"
import * as Executor from "../workflow/define/Executor.ts"
import { type AnyWorkflow, childrenOf, type Node, type StepNode } from "../workflow/define/Node.ts"

const needsPerson = ({ externalExecution, requiresConfirmation, userInputFields }: Tool): boolean =>
  requiresConfirmation || externalExecution || userInputFields !== undefined

const inAgent = ({ id, tools }: Agent): string | undefined => {
  const tool = [...tools.values()].find(needsPerson)
  return tool === undefined ? undefined : `'${id}' needs a person for calls of '${tool.name}'`
}

const inMember = (member: Team.Member): string | undefined =>
  Team.isTeam(member)
    ? inAgent(member.leader) ?? first(member.members.values(), inMember)
    : inAgent(member)

const first = <A>(all: Iterable<A>, find: (each: A) => string | undefined): string | undefined => {
  for (const each of all) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}

const inExecutor = ({ executor, name }: StepNode): string | undefined =>
  Executor.match<string | undefined>(executor, {
    function: () => undefined,
    named: (_, id) => `step '${name}' names '${id}' by its id, so that its calls are not known`,
    agent: inMember,
    team: inMember,
    workflow: firstIn
  })

const waits = (node: Node): boolean =>
  node.confirmation !== undefined || node.outputReview !== undefined ||
  (node.type === "Step" && (node.userInput !== undefined || node.onError === "pause")) ||
  (node.type === "Loop" && node.iterationReview !== undefined) ||
  (node.type === "Router" && node.selector === undefined)

const inNode = (node: Node): string | undefined => {
  if (waits(node)) return `step '${node.name}' can wait for a person`
  return node.type === "Step" ? inExecutor(node) : first(childrenOf(node), inNode)
}

/** The first one, as a clause. Undefined: there is none. */
export const firstIn = ({ steps }: AnyWorkflow): string | undefined => first(steps, inNode)
