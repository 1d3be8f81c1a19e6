// Checks by types whether steps fit together: each accepts the result of the previous one and the input of the
// workflow. A step without an input type accepts anything.
import type * as Json from "@svc-runtime/domain/Json"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { Agent } from "../../agent/define/Agent.ts"
import type { Team } from "../../team/Team.ts"
import type { StepResult } from "../execute/StepResult.ts"
import type { AnyWorkflow, Element, Workflow } from "./Node.ts"
import type { StepFunction, StepInput, Typed } from "./StepInput.ts"

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

/** What the compiler says of a step: a sentence, with the types that it is about. */
export interface Refused<Sentence extends string, Types> {
  readonly refused: Sentence
  readonly types: Types
}

/** Undefined for a step whose name is not known to the compiler. */
type KnownName<E> = E extends { readonly name: infer Name extends string } ? string extends Name ? undefined : Name
  : undefined

type Called<E> = KnownName<E> extends infer Name extends string ? `Step '${Name}'` : "This step"

type Primitive = string | number | boolean | null | undefined

/** What a value has that JSON cannot store. Never, if it has nothing of this kind. */
type NotJson<A> = 0 extends 1 & A ? never
  : unknown extends A ? never
  : A extends Primitive ? never
  : A extends bigint | symbol | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView ? A
  : A extends (...parameters: never) => unknown ? A
  : A extends Json.Value ? never
  : A extends ReadonlyArray<infer Item> ? NotJson<Item>
  : { readonly [Key in keyof A]-?: NotJson<A[Key]> }[keyof A]

type Fitting<E, Input, Previous, Names> = KnownName<E> extends infer Name extends Names
  ? Refused<`Two steps of this list are called '${Name & string}'`, Names>
  : Takes<InputOf<E>, Input> extends false
    ? Refused<`${Called<E>} takes another input than the workflow has`, { takes: InputOf<E>; given: Input }>
  : Takes<PreviousOf<E>, Previous> extends false ? Refused<
      `${Called<E>} does not take what the step before it gives`,
      { takes: PreviousOf<E>; given: Previous }
    >
  : [NotJson<OutputOf<E>>] extends [never] ? E
  : Refused<`${Called<E>} gives a value that is not JSON`, NotJson<OutputOf<E>>>

/** The same steps, with a mismatch replaced by what the compiler says. `Names` are those of the steps before. */
export type Chain<Steps extends ReadonlyArray<unknown>, Input, Previous, Names = never> = Steps extends
  readonly [infer First, ...infer Rest] ? readonly [
    Fitting<First, Input, Previous, Names>,
    ...Chain<Rest, Input, OutputOf<First>, Names | (KnownName<First> & string)>
  ]
  : Steps

/** The same for steps beside each other: they have different names, and each gives JSON. */
export type Beside<Steps extends ReadonlyArray<unknown>, Names = never> = Steps extends
  readonly [infer First, ...infer Rest] ? readonly [
    Fitting<First, InputOf<First>, PreviousOf<First>, Names>,
    ...Beside<Rest, Names | (KnownName<First> & string)>
  ]
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
