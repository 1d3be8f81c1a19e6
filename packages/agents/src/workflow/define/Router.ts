// Executes selected choices: by a function, or by a person.
import type * as Json from "@svc-runtime/domain/Json"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Pause from "../pause/Pause.ts"
import type { AllInputs, AllWorkflowInputs, Beside, Elements, NameOf, OutputOf } from "./Chain.ts"
import type { RouterNode } from "./Node.ts"
import type { StepInput, Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nonEmptyNodesOf } from "./toNodes.ts"

type Names<Choices extends Elements> = NameOf<Choices[number]>

type Chooser<Choices extends Elements, Input, WorkflowInput> =
  | {
    /** The name of the choice, or of several, which run in this order. */
    readonly selector: (
      input: StepInput<Input, WorkflowInput>
    ) => Returned<NoInfer<Names<Choices>> | ReadonlyArray<NoInfer<Names<Choices>>>>
  }
  | {
    /** A person chooses, instead of a function. */
    readonly selection: Pause.SelectionOptions | true
  }

export type Options<Name extends string, Choices extends Elements, Input, WorkflowInput> =
  & Settings<Name>
  & {
    /** The steps to choose from. */
    readonly choices: Choices & Beside<Choices>
  }
  & Chooser<Choices, Input, WorkflowInput>

/**
 * Executes the choices that `selector` names, in its order. With `selection`, a person chooses instead.
 *
 * ```ts
 * import { Router, Step } from "@svc-runtime/server"
 *
 * export const reply = Router.make({
 *   name: "reply",
 *   choices: [
 *     Step.make({ name: "refund", run: ({ input }) => `Refund: ${String(input)}` }),
 *     Step.make({ name: "answer", run: ({ input }) => `Answer: ${String(input)}` })
 *   ],
 *   selector: ({ input }) => String(input).includes("money") ? "refund" : "answer"
 * })
 *
 * export const chosen = Router.make({
 *   name: "chosen",
 *   choices: [
 *     Step.make({ name: "email", run: () => "By email" }),
 *     Step.make({ name: "letter", run: () => "By letter" })
 *   ],
 *   selection: { message: "How is it sent?" }
 * })
 * ```
 */
export const make = <
  const Name extends string,
  const Choices extends Elements,
  Input = Json.Value,
  WorkflowInput = Json.Value
>(options: Options<Name, Choices, Input, WorkflowInput>) => {
  const settings = common("Router", options, { choices: "list", selector: "function", selection: "any" })
  const owner = `Router '${settings.name}'`
  const { selection, selector }: { readonly selection?: unknown; readonly selector?: unknown } = options
  if ((selector === undefined) === (selection === undefined)) {
    throw new Mistake(`${owner} needs one of selector, for a function, and selection, for a person`)
  }
  const node: RouterNode = {
    type: "Router",
    ...settings,
    choices: nonEmptyNodesOf(owner, options.choices, "choices", true),
    selector: "selector" in options ? options.selector : undefined,
    selection: "selection" in options ? Pause.selection(owner, options.selection) : undefined
  }
  return node as
    & RouterNode
    & Typed<
      AllInputs<Choices> & NoInfer<Input>,
      AllWorkflowInputs<Choices> & NoInfer<WorkflowInput>,
      OutputOf<Choices[number]>
    >
    & { readonly name: Name }
}
