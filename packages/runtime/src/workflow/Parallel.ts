// Concurrent steps. The result is a text with all results; a later step gets a single one with `input.outputOf`.
import type { AllInputs, AllPrevious, Beside, Elements } from "./Chain.ts"
import type { ParallelNode, Typed } from "./Node.ts"
import { common, type Settings } from "./Steps.ts"
import { someNodesOf } from "./toNodes.ts"

export interface Options<Name extends string, Inner extends Elements> extends Settings<Name> {
  readonly steps: Inner & Beside<Inner>
}

export const make = <const Name extends string, const Inner extends Elements>(options: Options<Name, Inner>) => {
  const node: ParallelNode = {
    type: "Parallel",
    ...common("Parallel", options),
    steps: someNodesOf(`Parallel '${options.name}'`, options.steps)
  }
  return node as ParallelNode & Typed<AllInputs<Inner>, AllPrevious<Inner>, string> & { readonly name: Name }
}
