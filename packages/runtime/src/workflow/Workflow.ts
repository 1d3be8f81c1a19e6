// A workflow as its author defines it: steps in order, type-checked. `make` rejects invalid definitions, so that
// mistakes show at start. Ids of components are checked when all are registered (`WorkflowRegistry.ts`).
import { type Json, Workflow as WorkflowSchema } from "@svc/domain"
import { type JsonSchema, Predicate } from "effect"
import { type AnySchema, authored, type Infer, type Shape } from "../schema/AnySchema.ts"
import type { Returned } from "../usercode/UserCode.ts"
import * as Validate from "../usercode/Validate.ts"
import type { Chain, ContentOf, Elements, LastOutput } from "./Chain.ts"
import { type AnyInput, type AnyWorkflow, childrenOf, type Node, type Typed } from "./Node.ts"
import type { StepInput } from "./StepInput.ts"
import { someNodesOf } from "./toNodes.ts"

type SchemaInput = AnySchema | JsonSchema.JsonSchema | undefined
type InputFor<S> = S extends AnySchema ? Infer<S> : Json.Value

interface Settings<S extends SchemaInput> {
  /** The handle in URLs. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** The message must be JSON that matches this schema. */
  readonly inputSchema?: S | undefined
  /** False: events of executors are hidden. */
  readonly streamExecutorEvents?: boolean | undefined
  readonly metadata?: Json.Object | undefined
  /** Also store the events of runs that are neither streamed nor in the background. */
  readonly storeEvents?: boolean | undefined
}

export interface Workflow<in Input, out Output> extends Typed<Input, undefined, Output> {
  readonly type: "Workflow"
  readonly id: WorkflowSchema.Id
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: Shape<unknown> | undefined
  readonly streamExecutorEvents: boolean
  readonly metadata: Json.Object | undefined
  readonly storeEvents: boolean
  /** Empty for a workflow with one function. */
  readonly steps: ReadonlyArray<Node>
  readonly run: ((input: AnyInput) => Returned<unknown>) | undefined
}

/** Detects a step inside itself, which a list that was changed later can contain. */
const checkAcyclic = (owner: string, nodes: ReadonlyArray<Node>, path: ReadonlyArray<Node>): void => {
  for (const node of nodes) {
    if (path.includes(node)) {
      const names = [...path.slice(path.indexOf(node)), node].map(({ name }) => `'${name}'`)
      throw new Error(`${owner}: its steps are a circle: ${names.join(" → ")}`)
    }
    checkAcyclic(owner, childrenOf(node), [...path, node])
  }
}

/** Steps in their order. */
export function make<const Steps extends Elements, const S extends SchemaInput = undefined>(
  options: Settings<S> & { readonly steps: Steps & Chain<Steps, InputFor<S>, undefined> }
): Workflow<InputFor<S>, LastOutput<Steps>>
/** One function for the whole workflow. */
export function make<Output, const S extends SchemaInput = undefined>(
  options: Settings<S> & { readonly run: (input: StepInput<InputFor<S>, undefined>) => Returned<Output> }
): Workflow<InputFor<S>, ContentOf<Output>>
export function make(
  options: Settings<SchemaInput> & {
    readonly steps?: ReadonlyArray<unknown>
    readonly run?: (input: AnyInput) => Returned<unknown>
  }
): unknown {
  const { id, inputSchema, run } = options
  const owner = `Workflow '${id}'`
  const steps = run === undefined ? someNodesOf(owner, options.steps ?? []) : []
  checkAcyclic(owner, steps, [])
  const workflow: Omit<Workflow<unknown, unknown>, keyof Typed<unknown, unknown, unknown>> = {
    type: "Workflow",
    id: WorkflowSchema.Id.make(Validate.urlId("Workflow", id)),
    name: options.name ?? id,
    description: options.description,
    inputSchema: inputSchema === undefined ? undefined : authored(inputSchema),
    streamExecutorEvents: options.streamExecutorEvents ?? true,
    metadata: options.metadata,
    storeEvents: options.storeEvents ?? false,
    steps,
    run
  }
  return workflow
}

export const isWorkflow = (value: unknown): value is AnyWorkflow =>
  Predicate.hasProperty(value, "type") && value.type === "Workflow" && Predicate.hasProperty(value, "id") &&
  Predicate.isString(value.id)
