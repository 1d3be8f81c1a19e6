// Concurrent steps. A later step gets their results as an object; the output of the step is a text with all of them.
import type { AllInputs, AllWorkflowInputs, Beside, Elements, NameOf, OutputOf } from "./Chain.ts"
import type { ParallelNode } from "./Node.ts"
import type { Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nonEmptyNodesOf } from "./toNodes.ts"

export interface Options<Name extends string, Inner extends Elements> extends Settings<Name> {
  /** The steps, which all get the same input. */
  readonly steps: Inner & Beside<Inner>
}

/** By the names of the steps. */
export type Results<Inner extends Elements> = { readonly [E in Inner[number] as NameOf<E>]: OutputOf<E> }

/**
 * Executes steps concurrently. The next step gets an object with their results, by name. An agent gets a text.
 *
 * ```ts
 * import { Parallel, Step, type StepInput } from "@svc-runtime/server"
 *
 * export const research = [
 *   Parallel.make({
 *     name: "research",
 *     steps: [
 *       Step.make({ name: "facts", effects: "read", run: ({ input }) => `Facts about ${String(input)}` }),
 *       Step.make({ name: "reviews", effects: "read", run: ({ input }) => `Reviews of ${String(input)}` })
 *     ]
 *   }),
 *   Step.make({
 *     name: "quote",
 *     effects: "read",
 *     run: ({ input }: StepInput<{ facts: string; reviews: string }>) => `${input.facts}, and ${input.reviews}`
 *   })
 * ]
 * ```
 */
export const make = <const Name extends string, const Inner extends Elements>(options: Options<Name, Inner>) => {
  const node: ParallelNode = {
    type: "Parallel",
    ...common("Parallel", options, { steps: "list" }),
    steps: nonEmptyNodesOf(`Parallel '${options.name}'`, options.steps, "steps", true)
  }
  return node as
    & ParallelNode
    & Typed<AllInputs<Inner>, AllWorkflowInputs<Inner>, Results<Inner>>
    & { readonly name: Name }
}
