// Checks what a person has entered before a step, while the request that sends it can still be refused.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Equal, Predicate } from "effect"
import * as Executor from "../define/Executor.ts"
import { childrenOf, type Node, type StepNode } from "../define/Node.ts"
import * as WorkflowJournal from "../execute/WorkflowJournal.ts"
import { isWorkflow } from "../Workflow.ts"

const isStep = (node: Node): node is StepNode => node.type === "Step"
const none = () => []

/** The steps at any depth, also of workflows in steps. */
const stepsIn = (nodes: ReadonlyArray<Node>): ReadonlyArray<StepNode> =>
  nodes.flatMap((node) => [
    ...(isStep(node)
      ? [
        node,
        ...Executor.match<ReadonlyArray<StepNode>>(node.executor, {
          function: none,
          named: none,
          agent: none,
          team: none,
          workflow: ({ steps }) => stepsIn(steps)
        })
      ]
      : stepsIn(childrenOf(node)))
  ])

/** Fails with the field that does not fit the schema. `entry`: with which the run is to be resumed. */
export const check = Effect.fnUntraced(function*(component: object, { output }: RunSnapshot, entry: unknown) {
  if (!isWorkflow(component) || !AnyRun.isWorkflow(output)) return
  const [decided] = yield* Effect.orElseSucceed(WorkflowJournal.decode([entry]), () => [])
  if (decided?.kind !== "decided") return
  for (const { decision: { confirmed, late, user_input }, key, step_id } of WorkflowJournal.decisionsIn(decided)) {
    const values = late === "approve" ? user_input ?? {} : user_input
    const requirement = output.step_requirements?.findLast((each) =>
      each.step_id === step_id && (key === undefined || each.id === key)
    )
    if (requirement?.requires_user_input !== true || confirmed === false || !Predicate.isObject(values)) continue
    const { step_name, user_input_schema } = requirement
    const step = stepsIn(component.steps).find(({ name, userInput }) =>
      name === step_name && Equal.equals(userInput?.fields, user_input_schema)
    )
    if (step?.userInput === undefined) continue
    yield* Effect.mapError(
      step.userInput.decode(values),
      ({ message }) => new ContinueRejected({ reason: "malformed", field: "step_requirements", message })
    )
  }
})
