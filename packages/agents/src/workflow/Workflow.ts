// A workflow as its author defines it: steps in order, type-checked. `make` rejects invalid definitions, so that
// mistakes show at start. Ids of components are checked when all are registered (`WorkflowRegistry.ts`).
import type * as Json from "@svc-runtime/domain/Json"
import * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { type AnySchema, authoredFor, type Infer } from "@svc-runtime/engine/schema/AnySchema"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { type JsonSchema, Predicate } from "effect"
import * as OnlineScoring from "../agent/define/OnlineScoring.ts"
import { withMethods } from "../component/ComponentMethods.ts"
import type { Chain, ContentOf, Elements, LastOutput } from "./define/Chain.ts"
import { type AnyWorkflow, childrenOf, type Node, type Workflow } from "./define/Node.ts"
import type { AnyInput, StepInput, Typed } from "./define/StepInput.ts"
import { nonEmptyNodesOf } from "./define/toNodes.ts"

type SchemaInput = AnySchema | JsonSchema.JsonSchema | undefined
type InputFor<S> = S extends AnySchema ? Infer<S> : Json.Value

interface Settings<S extends SchemaInput> {
  /** The handle in URLs. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  /** What the workflow does. Default: none. */
  readonly description?: string | undefined
  /** Where its sessions and runs are stored. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  /** Of all its runs: at once, in a minute, and their tokens in a day. Default: the limits of the service. */
  readonly limits?: StartLimits.Limits | undefined
  /**
   * The message must be JSON that matches this schema. Others are refused with 422. Steps get what the schema makes of
   * it, such as defaults, if that is JSON. Default: any JSON.
   */
  readonly inputSchema?: S | undefined
  /** Whether events of agents, teams and nested workflows are shown. Default: true. */
  readonly streamExecutorEvents?: boolean | undefined
  /** Rate a sample of the runs after their end, in the background. The scores are feedback on the runs. */
  readonly onlineScoring?: OnlineScoring.ScoringOptions | undefined
  /** Free-form JSON, shown in discovery. Default: none. */
  readonly metadata?: Json.Object | undefined
  /** Also store the events of runs that are neither streamed nor in the background. Default: false. */
  readonly storeEvents?: boolean | undefined
}

type Body<Steps extends Elements, S extends SchemaInput, Output> =
  | {
    /** The steps, in their order: steps, containers, components and functions. */
    readonly steps: Steps & Chain<Steps, InputFor<S>, InputFor<S>>
    readonly run?: undefined
  }
  | {
    /** One function for the whole workflow. */
    readonly run: (input: StepInput<InputFor<S>, InputFor<S>>) => Returned<Output>
    readonly steps?: undefined
  }

export type { Workflow }

const kinds: AuthorOptions.Kinds<keyof Settings<undefined> | "run" | "steps"> = {
  id: "text",
  name: "text",
  description: "text",
  db: "any",
  limits: "object",
  inputSchema: "any",
  streamExecutorEvents: "flag",
  onlineScoring: { options: OnlineScoring.kinds },
  metadata: "object",
  storeEvents: "flag",
  steps: "list",
  run: "function"
}

/** Detects a step inside itself, which a list that was changed later can contain. */
const checkAcyclic = (owner: string, nodes: ReadonlyArray<Node>, path: ReadonlyArray<Node>): void => {
  for (const node of nodes) {
    if (path.includes(node)) {
      const names = [...path.slice(path.indexOf(node)), node].map(({ name }) => `'${name}'`)
      throw new Mistake(`${owner}: its steps are a circle: ${names.join(" → ")}`)
    }
    checkAcyclic(owner, childrenOf(node), [...path, node])
  }
}

/**
 * A workflow: steps in a fixed order, or one function (`run`) for all. Its id is its path, `/workflows/{id}`. The
 * compiler checks that a step accepts the output of the step before it, and the first one the input. Without
 * `inputSchema` the input is a text.
 *
 * A step names agents, teams and workflows as values or by id. Ids that are not served stop the start of the service.
 * Throws an `Error` that names the workflow for an id that is not usable in a URL, no steps, a step without an
 * executor, two steps of one name in a list, and steps that contain themselves.
 *
 * ```ts
 * import { Agent, Step, type StepInput, Workflow } from "@svc-runtime/server"
 * import { z } from "zod"
 *
 * const Order = z.object({ product: z.string(), count: z.int().positive() })
 * type Order = z.infer<typeof Order>
 *
 * const clerk = Agent.make({ id: "clerk", instructions: "Write one friendly sentence that confirms the order." })
 *
 * export const order = Workflow.make({
 *   id: "order",
 *   inputSchema: Order,
 *   steps: [
 *     Step.make({
 *       name: "describe",
 *       effects: "read",
 *       run: ({ input }: StepInput<Order>) => `${input.count} times ${input.product}`
 *     }),
 *     Step.make({ name: "write", agent: clerk, retries: 2 }),
 *     Step.make({
 *       name: "send",
 *       confirmation: { message: "Send it?" },
 *       timeout: "1 minute",
 *       run: ({ input }) => `Sent: ${String(input)}`
 *     })
 *   ]
 * })
 * ```
 */
export function make<
  const Steps extends Elements,
  const S extends SchemaInput = undefined,
  Output = LastOutput<Elements>
>(
  options: Settings<S> & Body<Steps, S, Output>
): Workflow<InputFor<S>, Elements extends Steps ? ContentOf<Output> : LastOutput<Steps>>
export function make(
  options: Settings<SchemaInput> & {
    readonly steps?: ReadonlyArray<unknown> | undefined
    readonly run?: ((input: AnyInput) => Returned<unknown>) | undefined
  }
): unknown {
  AuthorOptions.check(AuthorOptions.ownerOf("Workflow", options), options, kinds)
  const { id, inputSchema, run } = options
  const owner = `Workflow '${id}'`
  if (run !== undefined && options.steps !== undefined) {
    throw new Mistake(`${owner} has both steps and run. Use run for one function, and steps for all else`)
  }
  const steps = run === undefined ? nonEmptyNodesOf(owner, options.steps ?? []) : []
  checkAcyclic(owner, steps, [])
  return withMethods<Omit<Workflow<unknown, unknown>, keyof Typed<unknown, unknown, unknown>>>("workflow", {
    type: "Workflow",
    id: WorkflowSchema.Id.make(Validate.urlId("Workflow", id)),
    name: options.name ?? id,
    description: options.description,
    db: DatabaseHandle.checked(owner, options.db),
    limits: StartLimits.checked(owner, options.limits),
    inputSchema: inputSchema === undefined ? undefined : authoredFor(`${owner}: its inputSchema`, inputSchema),
    streamExecutorEvents: options.streamExecutorEvents ?? true,
    onlineScoring: OnlineScoring.settings(owner, options.onlineScoring),
    metadata: options.metadata,
    storeEvents: options.storeEvents ?? false,
    steps,
    body: run
  })
}

export const isWorkflow = (value: unknown): value is AnyWorkflow =>
  Predicate.hasProperty(value, "type") && value.type === "Workflow" && Predicate.hasProperty(value, "id") &&
  Predicate.isString(value.id)
