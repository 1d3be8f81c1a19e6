// Checks by types whether steps fit together: each accepts the result of the previous one and the input of the
// workflow. A step without an input type accepts anything.
import type * as Json from "@svc/domain/Json"
import type { Agent } from "../agent/Agent.ts"
import type { Team } from "../team/Team.ts"
import type { Returned } from "../usercode/UserCode.ts"
import type { AnyWorkflow, Element, StepFunction, Typed } from "./Node.ts"
import type { StepInput } from "./StepInput.ts"
import type { StepResult } from "./StepResult.ts"
import type { Workflow } from "./Workflow.ts"

/** The awaited result of a function. */
export type ContentOf<A> = A extends StepResult<infer Content> ? Content : A extends void ? null : A

// A workflow is checked first, because as a step its input is the result of the previous step.
export type InputOf<E> = E extends AnyWorkflow | Agent | Team ? unknown
  : E extends Typed<infer Input, never, unknown> ? Input
  : E extends (input: StepInput<infer Input, never>) => unknown ? Input
  : unknown

export type PreviousOf<E> = E extends Workflow<infer Input, unknown> ? Input | undefined
  : E extends Typed<never, infer Previous, unknown> ? Previous
  : E extends Agent | Team ? unknown
  : E extends (input: StepInput<never, infer Previous>) => unknown ? Previous
  : unknown

export type OutputOf<E> = E extends Typed<never, never, infer Output> ? Output
  : E extends Agent | Team ? Json.Value
  : E extends StepFunction ? ContentOf<Awaited<ReturnType<E>> extends infer A ? Provided<A> : never>
  : Json.Value

type Provided<A> = A extends Returned<infer Content> ? Content : A

/** A step that accepts any JSON declares no input type. */
type Takes<Expected, Given> = Json.Value extends Expected ? true : [Given] extends [Expected] ? true : false

export interface StepDoesNotFit<Expected, Given> {
  readonly "this step wants": Expected
  readonly "but is given": Given
}

type Fitting<E, Input, Previous> = Takes<InputOf<E>, Input> extends true
  ? Takes<PreviousOf<E>, Previous> extends true ? E : StepDoesNotFit<PreviousOf<E>, Previous>
  : StepDoesNotFit<InputOf<E>, Input>

/** The same steps, with a mismatch replaced by its error type. */
export type Chain<Steps extends ReadonlyArray<unknown>, Input, Previous> = Steps extends
  readonly [infer First, ...infer Rest]
  ? readonly [Fitting<First, Input, Previous>, ...Chain<Rest, Input, OutputOf<First>>]
  : Steps

export type Elements = ReadonlyArray<Element>

export type FirstOf<Steps extends Elements> = Steps extends readonly [infer First, ...infer _] ? First : Steps[number]

/** The result of a list: that of its last step. */
export type LastOutput<Steps extends Elements> = Steps extends readonly [...infer _, infer Last] ? OutputOf<Last>
  : OutputOf<Steps[number]>

type Taken<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void ? All
  : unknown

type Each<Steps extends Elements, Of extends "input" | "previous"> = {
  [K in keyof Steps]: readonly [Of extends "input" ? InputOf<Steps[K]> : PreviousOf<Steps[K]>]
}[number]

/** The input that all of them accept. */
export type AllInputs<Steps extends Elements> = Taken<Each<Steps, "input">> extends readonly [infer A] ? A : never
export type AllPrevious<Steps extends Elements> = Taken<Each<Steps, "previous">> extends readonly [infer A] ? A : never

export type NameOf<E> = E extends { readonly name: infer Name extends string } ? Name : string
