// Concurrent steps. The result is a text with all results; a later step gets a single one with `input.outputOf`.
import type { AllInputs, AllPrevious, Beside, Elements } from "./Chain.ts"
import type { ParallelNode } from "./Node.ts"
import type { Typed } from "./StepInput.ts"
import { common, type Settings } from "./Steps.ts"
import { nonEmptyNodesOf } from "./toNodes.ts"

export interface Options<Name extends string, Inner extends Elements> extends Settings<Name> {
  readonly steps: Inner & Beside<Inner>
}

/**
 * Executes steps concurrently. Its output is a text with all results; `outputOf` gives a later step a single one.
 *
 * ```ts
 * import { Parallel, Step } from "@svc-runtime/server"
 *
 * export const research = [
 *   Parallel.make({
 *     name: "research",
 *     steps: [
 *       Step.make({ name: "facts", effects: "read", run: ({ input }) => `Facts about ${String(input)}` }),
 *       Step.make({ name: "reviews", effects: "read", run: ({ input }) => `Reviews of ${String(input)}` })
 *     ]
 *   }),
 *   Step.make({ name: "quote", effects: "read", run: (step) => `It says: ${String(step.outputOf("facts"))}` })
 * ]
 * ```
 */
export const make = <const Name extends string, const Inner extends Elements>(options: Options<Name, Inner>) => {
  const node: ParallelNode = {
    type: "Parallel",
    ...common("Parallel", options, { steps: "list" }),
    steps: nonEmptyNodesOf(`Parallel '${options.name}'`, options.steps)
  }
  return node as ParallelNode & Typed<AllInputs<Inner>, AllPrevious<Inner>, string> & { readonly name: Name }
}
