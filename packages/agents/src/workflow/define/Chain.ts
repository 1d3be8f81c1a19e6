// Checks by types whether steps fit together: each accepts the result of the one before, and the first one the input of
// the workflow. A step without an input type accepts anything.
import type * as Json from "@svc-runtime/domain/Json"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { Agent } from "../../agent/define/Agent.ts"
import type { Team } from "../../team/Team.ts"
import type { StepResult } from "../execute/StepResult.ts"
import type { Element } from "./Node.ts"
import type { StepFunction, StepInput, Typed } from "./StepInput.ts"

/** The awaited result of a function. */
export type ContentOf<A> = A extends StepResult<infer Content> ? Content : A extends void ? null : A

export type InputOf<E> = E extends Agent | Team ? unknown
  : E extends Typed<infer Input, never, unknown> ? Input
  : E extends (input: StepInput<infer Input, never>) => unknown ? Input
  : unknown

export type WorkflowInputOf<E> = E extends Agent | Team ? unknown
  : E extends Typed<never, infer Input, unknown> ? Input
  : E extends (input: StepInput<never, infer Input>) => unknown ? Input
  : unknown

export type OutputOf<E> = E extends Typed<never, never, infer Output> ? Output
  : E extends Agent | Team ? Json.Value
  : E extends StepFunction ? ContentOf<Awaited<ReturnType<E>> extends infer A ? Provided<A> : never>
  : Json.Value

type Provided<A> = A extends Returned<infer Content> ? Content : A

declare const items: unique symbol

/** The input of a step for each of its items. */
export interface ItemsOf<Item> extends ReadonlyArray<Item> {
  readonly [items]?: Item
}

/**
 * A step that accepts any JSON declares no input type. JSON of an unknown kind may be a list: that is seen when the
 * step is executed.
 */
type Takes<Expected, Given> = Json.Value extends Expected ? true
  : [Expected] extends [ItemsOf<infer Item>] ? Json.Value extends Given ? true
    : [Given] extends [ReadonlyArray<Item>] ? true
    : false
  : [Given] extends [Expected] ? true
  : false

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

/** Whether two types are one. */
type IsSame<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false

/** Whether another step of the list has the name of this one. The same step can be there several times. */
type IsTaken<E, Before, Names> = KnownName<E> extends infer Name extends Names
  ? IsSame<Extract<Before, { readonly name: Name }>, E> extends true ? false : true
  : false

type Fitting<E, WorkflowInput, Given, Names, Before = never, Mismatch extends string = FirstMismatch> =
  IsTaken<E, Before, Names> extends true ?
    Refused<`Two steps of this list are called '${KnownName<E> & string}'`, Names>
    : Takes<WorkflowInputOf<E>, WorkflowInput> extends false ? Refused<
        `${Called<E>} expects another workflowInput than the workflow has`,
        { takes: WorkflowInputOf<E>; given: WorkflowInput }
      >
    : Takes<InputOf<E>, Given> extends false ? Refused<`${Called<E>} ${Mismatch}`, { takes: InputOf<E>; given: Given }>
    : [NotJson<OutputOf<E>>] extends [never] ? E
    : Refused<`${Called<E>} gives a value that is not JSON`, NotJson<OutputOf<E>>>

type FirstMismatch = "takes another input than the workflow has"

/** The same steps, with a mismatch replaced by what the compiler says. `Names` and `Before` are of the steps before. */
export type Chain<
  Steps extends ReadonlyArray<unknown>,
  WorkflowInput,
  Given,
  Names = never,
  Before = never,
  Mismatch extends string = FirstMismatch
> = Steps extends readonly [infer First, ...infer Rest] ? readonly [
    Fitting<First, WorkflowInput, Given, Names, Before, Mismatch>,
    ...Chain<
      Rest,
      WorkflowInput,
      OutputOf<First>,
      Names | (KnownName<First> & string),
      Before | First,
      "does not take what the step before it gives"
    >
  ]
  : Steps

/** The same for steps beside each other: they have different names, and each gives JSON. */
export type Beside<Steps extends ReadonlyArray<unknown>, Names = never> = Steps extends
  readonly [infer First, ...infer Rest] ? readonly [
    Fitting<First, WorkflowInputOf<First>, InputOf<First>, Names>,
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

type Each<Steps extends Elements, Of extends "input" | "workflow"> = {
  [K in keyof Steps]: readonly [Of extends "input" ? InputOf<Steps[K]> : WorkflowInputOf<Steps[K]>]
}[number]

/** The input that all of them accept. */
export type AllInputs<Steps extends Elements> = Taken<Each<Steps, "input">> extends readonly [infer A] ? A : never
export type AllWorkflowInputs<Steps extends Elements> = Taken<Each<Steps, "workflow">> extends readonly [infer A] ? A
  : never

/** A list in a container: its first step gets what the container gets. */
export type Inside<Steps extends Elements> = Steps & Chain<Steps, AllWorkflowInputs<Steps>, InputOf<FirstOf<Steps>>>

export type NameOf<E> = E extends { readonly name: infer Name extends string } ? Name : string
