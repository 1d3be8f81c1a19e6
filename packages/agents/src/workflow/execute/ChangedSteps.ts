// Whether a workflow still has the steps that a run of it has begun. The journal knows a step by its place: a result, a
// question or an attempt of another step must not count for the one that is there now.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import { type AnyWorkflow, childrenOf, type Node } from "../define/Node.ts"
import { isWorkflow } from "../Workflow.ts"
import * as StepKey from "./StepKey.ts"
import * as WorkflowJournal from "./WorkflowJournal.ts"

export const begunOf = (node: Node): WorkflowJournal.Begun => ({
  name: node.name,
  type: node.type,
  ...(node.type === "Step" ? { executor: node.executor.type } : {})
})

/** Of a workflow with one function. Its id names it, because its runs are found by it. */
export const bodyOf = ({ id }: AnyWorkflow): WorkflowJournal.Begun => ({ name: id, type: "Function" })

/** Earlier versions have stored the function as a step with the name of the workflow. */
const isBody = (workflow: AnyWorkflow, { name, type }: WorkflowJournal.Begun): boolean =>
  type === "Function" ? name === workflow.id : name === workflow.name

const nodeAt = (nodes: ReadonlyArray<Node>, [first = "", ...inside]: ReadonlyArray<string>): Node | undefined => {
  const node = nodes[Number(StepKey.withoutRepetition(first))]
  const [section = "", ...rest] = inside
  if (node === undefined || inside.length === 0) return node
  if (node.type === "Condition" && section === "else") return nodeAt(node.elseSteps, rest)
  if (node.type === "Condition") return nodeAt(node.steps, inside)
  if (node.type !== "Loop" && node.type !== "ForEach") return nodeAt(childrenOf(node), inside)
  const isThere = section.startsWith("#") && (node.type === "ForEach" || Number(section.slice(1)) <= node.maxIterations)
  return isThere ? nodeAt(node.steps, rest) : undefined
}

/** What a person was asked about the step, and is not asked now. */
const unasked = (node: Node, requirement: StepRequirement.StepRequirement): string | undefined => {
  if (requirement.requires_confirmation && node.confirmation === undefined) return "a confirmation"
  if (requirement.requires_user_input && !(node.type === "Step" && node.userInput !== undefined)) return "values"
  if (requirement.requires_route_selection && !(node.type === "Router" && node.selection !== undefined)) {
    return "a selection"
  }
  const isReviewed = node.outputReview !== undefined || (node.type === "Loop" && node.iterationReview !== undefined)
  return requirement.requires_output_review && !isReviewed ? "a review" : undefined
}

const shown = ({ executor, name, type }: WorkflowJournal.Begun, isKindShown: boolean): string =>
  isKindShown ? `'${name}' (${executor ?? type})` : `'${name}'`

const differenceOf = (
  { isEnded, requirements, step }: WorkflowJournal.BegunStep,
  node: Node | undefined
): string | undefined => {
  if (node === undefined) return `was ${shown(step, false)} when this run began it, and is not there now`
  const now = begunOf(node)
  const isOfKind = (step.type ?? now.type) === now.type &&
    (isEnded || (step.executor ?? now.executor) === now.executor)
  if (step.name !== now.name || !isOfKind) {
    return `was ${shown(step, !isOfKind)} when this run began it, and is ${shown(now, !isOfKind)} now`
  }
  const [question] = isEnded ? [] : requirements.flatMap((requirement) => unasked(node, requirement) ?? [])
  return question && `has asked for ${question}, and does not now`
}

const problemOf = (
  { id }: AnyWorkflow,
  path: ReadonlyArray<string>,
  node: Node | undefined,
  begun: WorkflowJournal.BegunStep
): string | undefined => {
  const difference = differenceOf(begun, node)
  if (difference === undefined) return undefined
  const numbers = path.flatMap((part) => /^\d/.test(part) ? [Number(StepKey.withoutRepetition(part)) + 1] : [])
  const name = difference.startsWith("has") ? `, '${begun.step.name}',` : ""
  return `Step ${numbers.join(".")} of workflow '${id}'${name} ${difference}. What a run has begun must stay in its ` +
    "place until the run has ended: bring the former steps back, or start a new run"
}

const problemInside = (
  journal: WorkflowJournal.WorkflowJournal,
  node: Node | undefined,
  key: string
): string | undefined => {
  const executor = node?.type === "Step" ? node.executor : undefined
  return executor?.type === "workflow" && typeof executor.workflow !== "string"
    ? problemIn(journal, executor.workflow, StepKey.nested(key))
    : undefined
}

/** Also in the workflows of its steps. Undefined: the run can continue. */
export const problemIn = (
  journal: WorkflowJournal.WorkflowJournal,
  workflow: AnyWorkflow,
  prefix: StepKey.Prefix = StepKey.outermost
): string | undefined => {
  for (const begun of journal.begunIn(prefix)) {
    if (workflow.body !== undefined && isBody(workflow, begun.step)) continue
    const path = begun.key.slice(prefix.length).split("/")
    const node = nodeAt(workflow.steps, path)
    const problem = problemOf(workflow, path, node, begun) ??
      (begun.isEnded ? undefined : problemInside(journal, node, begun.key))
    if (problem !== undefined) return problem
  }
  return undefined
}

/** While the request can still be refused: the run waits on, and the former steps can be brought back. */
export const check = Effect.fnUntraced(function*(component: object, { entries }: RunSnapshot) {
  if (!isWorkflow(component)) return
  const journal = WorkflowJournal.make(yield* Effect.orDie(WorkflowJournal.decode(entries)), () => Effect.void)
  const message = problemIn(journal, component)
  if (message !== undefined) return yield* new ContinueRejected({ reason: "conflict", message })
})
