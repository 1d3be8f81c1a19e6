// Steps for each item of a list that is known when the workflow runs. The result is the list of their results.
import type * as Json from "@svc-runtime/domain/Json"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { AllWorkflowInputs, Elements, FirstOf, InputOf, Inside, ItemsOf, LastOutput } from "./Chain.ts"
import type { ForEachNode } from "./Node.ts"
import type { AnyInput, StepInput, Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nonEmptyNodesOf } from "./toNodes.ts"

const defaults = { concurrency: 4, maxItems: 1000 } as const

const largest = { concurrency: 100, maxItems: 10_000 } as const

export interface Options<Name extends string, Inner extends Elements, OnError extends "fail" | "skip">
  extends Settings<Name>
{
  /** The steps of one item. The first one gets the item as its `input`. */
  readonly steps: Inside<Inner>
  /** How many items are executed at once. Default: 4, and at most 100. */
  readonly concurrency?: number | undefined
  /** A longer list fails the workflow. Default: 1,000, and at most 10,000. */
  readonly maxItems?: number | undefined
  /**
   * After a step of an item has failed the workflow: `fail` (the default) ends it, `skip` has a text with the reason as
   * the result of the item. The steps inside have `retries` and an `onError` of their own.
   */
  readonly onError?: OnError | undefined
}

/** Where the items come from, if they are not the `input`. */
export interface Items<Item, Input, WorkflowInput> {
  /** Gives the list. Default: the `input` of the step. */
  readonly items: (input: StepInput<Input, WorkflowInput>) => Returned<ReadonlyArray<Item>>
}

/** A step that accepts any JSON accepts any item. */
type Item<Inner extends Elements> = Json.Value extends InputOf<FirstOf<Inner>> ? unknown : InputOf<FirstOf<Inner>>

type Result<Inner extends Elements, OnError extends "fail" | "skip"> = OnError extends "fail" ? LastOutput<Inner>
  : LastOutput<Inner> | string

type ForEach<Name extends string, Input, WorkflowInput, Output> =
  & ForEachNode
  & Typed<Input, WorkflowInput, ReadonlyArray<Output>>
  & { readonly name: Name }

/** Checks an option, or gives its default. */
export const upTo = (owner: string, option: keyof typeof largest, value: number = defaults[option]): number => {
  const number = Validate.wholeNumber(owner, option, 1, value)
  if (number <= largest[option]) return number
  throw new Mistake(`${owner}: ${option} is at most ${largest[option]}, not ${value}`)
}

/**
 * Executes steps for each item of a list: of its `input`, or of what `items` gives. Its output is the list of the
 * results, in the order of the items.
 *
 * ```ts
 * import { Agent, ForEach, Step, type StepInput } from "@svc-runtime/server"
 *
 * const translator = Agent.make({ id: "translator", instructions: "Translate into French." })
 *
 * export const translated = [
 *   Step.make({ name: "chapters", effects: "read", run: ({ input }) => String(input).split("\n\n") }),
 *   ForEach.make({ name: "translate", concurrency: 3, steps: [translator] }),
 *   Step.make({
 *     name: "join",
 *     effects: "read",
 *     run: ({ input }: StepInput<ReadonlyArray<unknown>>) => input.join("\n\n")
 *   })
 * ]
 * ```
 */
export function make<
  const Name extends string,
  const Inner extends Elements,
  Input = Json.Value,
  WorkflowInput = Json.Value,
  const OnError extends "fail" | "skip" = "fail"
>(
  options: Options<Name, Inner, OnError> & Items<NoInfer<Item<Inner>>, Input, WorkflowInput>
): ForEach<
  Name,
  NoInfer<Input>,
  AllWorkflowInputs<Inner> & NoInfer<WorkflowInput>,
  Result<Inner, OnError>
>
export function make<
  const Name extends string,
  const Inner extends Elements,
  const OnError extends "fail" | "skip" = "fail"
>(
  options: Options<Name, Inner, OnError> & { readonly items?: undefined }
): ForEach<Name, ItemsOf<Item<Inner>>, AllWorkflowInputs<Inner>, Result<Inner, OnError>>
export function make(
  options: Settings<string> & {
    readonly steps: ReadonlyArray<unknown>
    readonly items?: ((input: AnyInput) => Returned<ReadonlyArray<unknown>>) | undefined
    readonly concurrency?: number | undefined
    readonly maxItems?: number | undefined
    readonly onError?: "fail" | "skip" | undefined
  }
): unknown {
  const owner = `ForEach '${options.name}'`
  const node: ForEachNode = {
    type: "ForEach",
    ...common("ForEach", options, {
      steps: "list",
      items: "function",
      concurrency: "any",
      maxItems: "any",
      onError: { oneOf: ["fail", "skip"] }
    }),
    steps: nonEmptyNodesOf(owner, options.steps),
    items: options.items,
    concurrency: upTo(owner, "concurrency", options.concurrency),
    maxItems: upTo(owner, "maxItems", options.maxItems),
    onError: options.onError ?? "fail"
  }
  return node
}
