// A sequence of steps as one step.
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Pause from "../pause/Pause.ts"
import type { AllWorkflowInputs, Elements, FirstOf, InputOf, Inside, LastOutput } from "./Chain.ts"
import type { StepsNode } from "./Node.ts"
import type { Typed } from "./StepInput.ts"
import { checkedName, nonEmptyNodesOf } from "./toNodes.ts"

/** Options of every container. */
export interface Settings<Name extends string> {
  /** The name of the step in events and outputs, unique in its workflow. */
  readonly name: Name
  /** What the step does. Default: none. */
  readonly description?: string | undefined
  /** A confirmation before it runs. */
  readonly confirmation?: Pause.Options | true | undefined
  /** A review of its output. */
  readonly outputReview?: Pause.Options | true | undefined
}

const settings: AuthorOptions.Kinds<keyof Settings<string>> = {
  name: "text",
  description: "text",
  confirmation: "any",
  outputReview: "any"
}

export const common = (kind: string, options: Settings<string>, kinds: AuthorOptions.Kinds<string>) => {
  AuthorOptions.check(AuthorOptions.ownerOf(kind, options, "name"), options, { ...settings, ...kinds })
  const name = checkedName(kind, options.name)
  const owner = `${kind} '${name}'`
  return {
    name,
    description: options.description,
    confirmation: Pause.make(owner, options.confirmation),
    outputReview: Pause.make(owner, options.outputReview, "outputReview")
  }
}

export interface Options<Name extends string, Inner extends Elements> extends Settings<Name> {
  /** The steps, in their order. */
  readonly steps: Inside<Inner>
}

export const make = <const Name extends string, const Inner extends Elements>(options: Options<Name, Inner>) => {
  const node: StepsNode = {
    type: "Steps",
    ...common("Steps", options, { steps: "list" }),
    steps: nonEmptyNodesOf(`Steps '${options.name}'`, options.steps)
  }
  return node as
    & StepsNode
    & Typed<InputOf<FirstOf<Inner>>, AllWorkflowInputs<Inner>, LastOutput<Inner>>
    & { readonly name: Name }
}
