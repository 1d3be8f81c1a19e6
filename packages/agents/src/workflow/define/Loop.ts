// Steps that are repeated until an end condition. The input of an iteration is the result of the previous one.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import * as Pause from "../pause/Pause.ts"
import type { AllWorkflowInputs, Elements, FirstOf, InputOf, Inside, LastOutput } from "./Chain.ts"
import type { LoopNode } from "./Node.ts"
import type { StepInput, Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nonEmptyNodesOf } from "./toNodes.ts"

type Fits<Inner extends Elements> =
  & Inside<Inner>
  & ([LastOutput<Inner>] extends [InputOf<FirstOf<Inner>>] ? unknown
    : unknown extends InputOf<FirstOf<Inner>> ? unknown
    : {
      readonly "the first step of a round takes": InputOf<FirstOf<Inner>>
      readonly "the last one gives": LastOutput<Inner>
    })

export interface Options<Name extends string, Inner extends Elements> extends Settings<Name> {
  /** The steps of one iteration. */
  readonly steps: Fits<Inner>
  /** The largest number of iterations. Default: 3. */
  readonly maxIterations?: number | undefined
  /** The end condition, called after each iteration with the results of its steps. Its `input` is the last one. */
  readonly endCondition?:
    | ((
      results: ReadonlyArray<StepOutput.StepOutput>,
      input: StepInput<LastOutput<Inner>, AllWorkflowInputs<Inner>>
    ) => Returned<boolean>)
    | undefined
  /** A person decides after each iteration: a confirmation ends the loop. `onReject` is `retry` by default. */
  readonly iterationReview?: Pause.Options | true | undefined
}

/** A person who says no wants another iteration. */
const reviewOf = (owner: string, options: Pause.Options | true | undefined): Pause.Pause | undefined => {
  const review = Pause.make(owner, options, "iterationReview")
  const onReject = options === true ? undefined : options?.onReject
  return review === undefined ? undefined : { ...review, onReject: onReject ?? "retry" }
}

/**
 * Repeats steps until `endCondition` is true, or up to `maxIterations` times. The input of an iteration is the output
 * of the previous one.
 *
 * ```ts
 * import { Agent, Loop, Step } from "@svc-runtime/server"
 *
 * const editor = Agent.make({ id: "editor", instructions: "Shorten the text." })
 *
 * export const polish = Loop.make({
 *   name: "polish",
 *   maxIterations: 5,
 *   endCondition: ([shortened]) => String(shortened?.content).length < 2000,
 *   steps: [Step.make({ name: "shorten", agent: editor })]
 * })
 * ```
 */
export const make = <const Name extends string, const Inner extends Elements>(options: Options<Name, Inner>) => {
  const owner = `Loop '${options.name}'`
  const node: LoopNode = {
    type: "Loop",
    ...common("Loop", options, {
      steps: "list",
      maxIterations: "any",
      endCondition: "function",
      iterationReview: "any"
    }),
    steps: nonEmptyNodesOf(owner, options.steps),
    maxIterations: Validate.wholeNumber(owner, "maxIterations", 1, options.maxIterations ?? 3),
    endCondition: options.endCondition,
    iterationReview: reviewOf(owner, options.iterationReview)
  }
  return node as
    & LoopNode
    & Typed<InputOf<FirstOf<Inner>>, AllWorkflowInputs<Inner>, LastOutput<Inner>>
    & { readonly name: Name }
}
