// A step that executes its steps for each item of a list. Each item has keys and ids of its own, so that a resumed run
// executes only the others, and several items can wait for people. Watchers see a parallel step with items.
import * as Json from "@svc-runtime/domain/Json"
import * as StepOutput from "@svc-runtime/domain/StepOutput"
import { bytesOf, checkOutputBytes } from "@svc-runtime/engine/limits/ByteLimits"
import { Effect } from "effect"
import { beside, broken, children, decided } from "../define/Container.ts"
import * as FunctionStep from "../define/FunctionStep.ts"
import type { ForEachNode } from "../define/Node.ts"
import * as Sequence from "../define/Sequence.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"
import * as Given from "./Given.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import * as StepPath from "./StepPath.ts"
import { about, emitWorkflowEvent, type StepCall } from "./WorkflowExecution.ts"

type Results = ReadonlyArray<StepOutput.StepOutput>

const kindOf = (value: Json.Value): string => {
  if (value === null) return "nothing"
  if (typeof value === "string") return "a text"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const refused = (message: string) => new Failed({ message, error_type: "ValueError" })

/** The items of a function are journalled, because the function need not give them again. */
const itemsOf = Effect.fnUntraced(function*(
  call: StepCall<ForEachNode>
): Effect.fn.Return<ReadonlyArray<Json.Value>, Interruption> {
  const { before: { previous }, execution, node, place } = call
  const { items, maxItems, name } = node
  const owner = `ForEach '${name}'`
  const given = items === undefined
    ? previous ?? Given.itself(execution.request.input, "the input of the workflow")
    : Given.itself(
      yield* decided(
        execution,
        StepKey.choice(place.key),
        Effect.mapError(FunctionStep.decideJson(call, items), broken)
      ),
      "its function 'items'"
    )
  const list = given.value
  if (!Json.isList(list)) return yield* refused(`${owner} needs a list, and ${given.by} gave ${kindOf(list)}`)
  if (list.length <= maxItems) return list
  return yield* refused(`${owner} takes at most ${maxItems} items (maxItems), and ${given.by} gave ${list.length}`)
})

/** The steps of one item. A failure that is skipped is journalled: it is not tried again. */
const itemAt = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<ForEachNode>,
  item: Json.Value,
  number: number
): Effect.fn.Return<Results, Interruption> {
  const { journal } = execution
  const inside = { ...before, previous: Given.itself(item, `item ${number}`), iteration: number, item }
  const run = Sequence.run(execution, node.steps, children({ execution, node, place }, { item: number }), inside)
  if (node.onError === "fail") return yield* run
  const key = StepKey.iterationFailure(place.key, number)
  const failed = (error: string): Results => [
    StepOutputs.done({ execution, node, place: StepPath.item(place, number) }, {
      content: `Item ${number} skipped due to error: ${error}`,
      success: false,
      error
    })
  ]
  const known = journal.chosen(key)
  if (typeof known === "string") return failed(known)
  return yield* Effect.catchTag(
    run,
    "Broken",
    ({ message }) => Effect.as(journal.append({ kind: "chosen", key, choice: message }), failed(message))
  )
})

const valueOf = (results: Results): Json.Value => {
  const last = results.at(-1)
  return last === undefined ? null : StepOutput.valueOf(last)
}

export const forEach = Effect.fnUntraced(function*(
  call: StepCall<ForEachNode>
): Effect.fn.Return<StepOutput.StepOutput, Interruption> {
  const { execution, node, place } = call
  const here = about(call)
  const isFresh = !execution.journal.hasStarted(place.key)
  const items = yield* itemsOf(call)
  const parallel_step_count = items.length
  if (isFresh) emitWorkflowEvent(execution, { event: "ParallelExecutionStarted", ...here, parallel_step_count })
  let bytes = 0
  const bounded = (results: Results) => {
    bytes += bytesOf(JSON.stringify(valueOf(results)))
    return Effect.mapBoth(checkOutputBytes(`The output of ForEach '${node.name}'`, bytes), {
      onFailure: ({ _tag, message }) => new Failed({ message, error_type: _tag }),
      onSuccess: () => results
    })
  }
  const results = yield* beside(
    call,
    items,
    (inside, item, index) => Effect.flatMap(itemAt({ ...call, execution: inside }, item, index + 1), bounded),
    node.concurrency
  )
  const content = results.map(valueOf)
  const outputs = results.flat()
  emitWorkflowEvent(execution, {
    event: "ParallelExecutionCompleted",
    ...here,
    parallel_step_count,
    step_results: outputs
  })
  return StepOutputs.container(call, content, outputs)
})
