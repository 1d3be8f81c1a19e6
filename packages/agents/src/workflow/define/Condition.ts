// Steps for a condition, and optional steps for its negation.
import type * as Json from "@svc-runtime/domain/Json"
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import { Predicate } from "effect"
import type { AllWorkflowInputs, Elements, FirstOf, InputOf, Inside, LastOutput } from "./Chain.ts"
import type { ConditionNode } from "./Node.ts"
import type { StepInput, Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nodesOf, nonEmptyNodesOf } from "./toNodes.ts"

export interface Options<Name extends string, Then extends Elements, Else extends Elements, Input, WorkflowInput>
  extends Settings<Name>
{
  /** The condition: a value, or a function that returns it, a promise of it, or an Effect. */
  readonly evaluator: boolean | ((input: StepInput<Input, WorkflowInput>) => Returned<boolean>)
  /** The steps if the condition is true. */
  readonly steps: Inside<Then>
  /** The steps otherwise. Default: none. */
  readonly elseSteps?: Inside<Else> | undefined
}

/**
 * Executes `steps` if the evaluator returns true, and `elseSteps` otherwise. Without `elseSteps` the output is then a
 * text with the number of skipped steps.
 *
 * ```ts
 * import { Condition, Step } from "@svc-runtime/server"
 *
 * export const check = Condition.make({
 *   name: "check",
 *   evaluator: ({ input }) => String(input).length > 100,
 *   steps: [Step.make({ name: "long", run: ({ input }) => `Long: ${String(input)}` })],
 *   elseSteps: [Step.make({ name: "short", run: ({ input }) => `Short: ${String(input)}` })]
 * })
 * ```
 */
export const make = <
  const Name extends string,
  const Then extends Elements,
  const Else extends Elements,
  Input = Json.Value,
  WorkflowInput = Json.Value,
  // whether there are `elseSteps`: a default of `Else` would be the type that functions in the list are checked against
  const Key extends keyof Options<Name, Then, Else, Input, WorkflowInput> = never
>(options: Options<Name, Then, Else, Input, WorkflowInput> & { readonly [_ in Key]: unknown }) => {
  const settings = common("Condition", options, { evaluator: "any", steps: "list", elseSteps: "list" })
  const owner = `Condition '${settings.name}'`
  const { evaluator } = options
  if (!Predicate.isBoolean(evaluator) && !Predicate.isFunction(evaluator)) {
    throw mismatch(`${owner}: evaluator`, "a function, true or false", evaluator)
  }
  const node: ConditionNode = {
    type: "Condition",
    ...settings,
    evaluate: typeof evaluator === "boolean" ? () => evaluator : evaluator,
    steps: nonEmptyNodesOf(owner, options.steps),
    elseSteps: nodesOf(owner, options.elseSteps ?? [], "elseSteps")
  }
  return node as
    & ConditionNode
    & Typed<
      InputOf<FirstOf<Then>> & NoInfer<Input>,
      AllWorkflowInputs<Then> & NoInfer<WorkflowInput>,
      // a false condition without another branch has a text as its result
      LastOutput<Then> | ("elseSteps" extends Key ? Else extends readonly [] ? string : LastOutput<Else> : string)
    >
    & { readonly name: Name }
}
