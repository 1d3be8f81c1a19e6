// A step that executes some of its steps, which the author's function or a person selects.
import { Effect } from "effect"
import { broken, decided } from "../define/Container.ts"
import * as FunctionStep from "../define/FunctionStep.ts"
import type { Node, RouterNode } from "../define/Node.ts"
import * as Sequence from "../define/Sequence.ts"
import * as HumanReview from "../pause/HumanReview.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import { childPath } from "./StepPath.ts"
import { about, emitWorkflowEvent, type StepCall } from "./WorkflowExecution.ts"

const selectedBy = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<RouterNode>
): Effect.fn.Return<ReadonlyArray<string>, Interruption> {
  const { selection, selector } = node
  if (selection === undefined) {
    const given = yield* Effect.mapError(
      FunctionStep.decide<unknown>({ before, execution, node, place }, (input) => selector?.(input)),
      broken
    )
    if (given === null) return []
    if (given === undefined) {
      const message =
        `The function of '${node.name}' gave nothing, and has to give the names of choices. Is a return ` +
        "missing? An empty list selects none"
      return yield* new Failed({ message, error_type: "TypeError" })
    }
    return FunctionStep.isNameList(given) ? given : [String(given)]
  }
  const available_choices = node.choices.map(({ name }) => name)
  const requirement = {
    ...yield* HumanReview.requirementOf({ execution, node, place }, selection),
    ...HumanReview.stepInputOf({ before, execution, node, place }),
    requires_route_selection: true,
    user_input_message: selection.message ?? null,
    available_choices,
    allow_multiple_selections: selection.multiple
  }
  const answer = yield* HumanReview.requestReview(execution, {
    key: StepKey.routeSelection(place.key),
    requirement,
    kind: "step",
    announce: () =>
      emitWorkflowEvent(execution, {
        event: "RouterPaused",
        ...about({ execution, node, place }),
        available_choices,
        ...(selection.message === undefined ? {} : { user_input_message: selection.message }),
        allow_multiple_selections: selection.multiple
      })
  })
  const verdict = yield* HumanReview.outcomeOf(answer)
  return verdict._tag === "Go" ? verdict.requirement.selected_choices ?? [] : []
})

const known = (node: RouterNode, names: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Node>, Failed> =>
  Effect.forEach(names, (name) => {
    const found = node.choices.find((choice) => choice.name === name)
    if (found !== undefined) return Effect.succeed(found)
    const choices = node.choices.map((choice) => `'${choice.name}'`).join(", ")
    const message = `Router '${node.name}' has no choice '${name}'. There are ${choices}.`
    return Effect.fail(new Failed({ message, error_type: "ValueError" }))
  })

export const router = Effect.fnUntraced(
  function*({ before, execution, node, place }: StepCall<RouterNode>) {
    const here = about({ execution, node, place })
    const isFresh = execution.journal.chosen(StepKey.choice(place.key)) === undefined
    const selected_steps = yield* decided(
      execution,
      StepKey.choice(place.key),
      selectedBy({ before, execution, node, place })
    )
    const nodes = yield* known(node, selected_steps)
    if (isFresh) emitWorkflowEvent(execution, { event: "RouterExecutionStarted", ...here, selected_steps })
    const parent = execution.idOf(place.path)
    // a router's branches share its step index
    const at = (index: number) =>
      childPath(place, parent, node.choices.indexOf(nodes[index] as Node), { index: place.index })
    const results = yield* Sequence.run(execution, nodes, at, before)
    emitWorkflowEvent(execution, {
      event: "RouterExecutionCompleted",
      ...here,
      selected_steps,
      executed_steps: results.length,
      step_results: results
    })
    const content = `Router ${node.name} completed with ${results.length} results`
    return StepOutputs.summary({ execution, node, place }, content, results)
  }
)
