// An agent, a team or a workflow as a tool of an agent: each call is a run inside of the calling run, as of a member of
// a team.
import type * as Json from "@svc-runtime/domain/Json"
import * as ToolName from "@svc-runtime/domain/ToolName"
import { decodeJson } from "@svc-runtime/engine/schema/AnySchema"
import { ChildRun } from "@svc-runtime/engine/tool/ChildRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { type Duration, Effect, Predicate, Schema } from "effect"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import * as Delegation from "../team/Delegation.ts"
import * as InnerTimeLimit from "../team/InnerTimeLimit.ts"
import * as Team from "../team/Team.ts"
import * as Executor from "../workflow/define/Executor.ts"
import { type AnyWorkflow, childrenOf, type Node, type StepNode } from "../workflow/define/Node.ts"
import * as Workflow from "../workflow/Workflow.ts"
import * as BackgroundOption from "./BackgroundOption.ts"
import * as BackgroundTasks from "./BackgroundTasks.ts"
import type { InnerComponent } from "./InnerCommand.ts"

// Finds what a workflow could wait for. A tool cannot pass on the decisions that its steps need.

const needsPerson = ({ externalExecution, requiresConfirmation, userInputFields }: Tool.Tool): boolean =>
  requiresConfirmation || externalExecution || userInputFields !== undefined

const inAgent = ({ id, tools }: Agent): string | undefined => {
  const tool = [...tools.values()].find(needsPerson)
  return tool === undefined ? undefined : `'${id}' needs a person for calls of '${tool.name}'`
}

const inMember = (member: Team.Member): string | undefined =>
  Team.isTeam(member)
    ? inAgent(member.leader) ?? first(member.members.values(), inMember)
    : inAgent(member)

const first = <A>(all: Iterable<A>, find: (each: A) => string | undefined): string | undefined => {
  for (const each of all) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}

const inExecutor = ({ executor, name }: StepNode): string | undefined =>
  Executor.match<string | undefined>(executor, {
    function: () => undefined,
    named: (_, id) => `step '${name}' names '${id}' by its id, so that its calls are not known`,
    agent: inMember,
    team: inMember,
    workflow: firstIn
  })

const waits = (node: Node): boolean =>
  node.confirmation !== undefined || node.outputReview !== undefined ||
  (node.type === "Step" && (node.userInput !== undefined || node.onError === "pause")) ||
  (node.type === "Loop" && node.iterationReview !== undefined) ||
  (node.type === "Router" && node.selector === undefined)

const inNode = (node: Node): string | undefined => {
  if (waits(node)) return `step '${node.name}' can wait for a person`
  return node.type === "Step" ? inExecutor(node) : first(childrenOf(node), inNode)
}

/** The first one, as a clause. Undefined: there is none. */
const firstIn = ({ steps }: AnyWorkflow): string | undefined => first(steps, inNode)

type CallSettings = Pick<
  Tool.Options<undefined>,
  | "approval"
  | "approvalTimeout"
  | "maxCalls"
  | "maxResultBytes"
  | "requiresConfirmation"
  | "stopAfterCall"
  | "timeout"
>

export interface Options extends CallSettings {
  /** The agent, the team or the workflow. It need not be served on its own. */
  readonly component: InnerComponent
  /** As of other tools. Default: the id of the component, changed if it is no name of a tool. */
  readonly name?: string | undefined
  /** Tells the model when to use the tool. Default: the role or the description of the component. */
  readonly description?: string | undefined
  /** Show the events of its runs in the stream of the calling run, with their own `run_id`. Default: false. */
  readonly streamEvents?: boolean | undefined
  /**
   * A call returns at once with the id of a task, and the answer joins the session later. The service has to serve the
   * component. Default: false, calls are awaited.
   */
  readonly background?: BackgroundOption.Options | boolean | undefined
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  component: "any",
  name: "text",
  description: "text",
  streamEvents: "flag",
  background: { options: BackgroundOption.kinds, orFlag: true },
  approval: { oneOf: Tool.approvals },
  approvalTimeout: "any",
  maxCalls: "any",
  maxResultBytes: "any",
  requiresConfirmation: "decision",
  stopAfterCall: "flag",
  timeout: "any"
}

export interface ComponentTool extends Tool.Tool {
  readonly component: InnerComponent
  readonly streamEvents: boolean
  /** Of each run. Undefined: none. */
  readonly runTimeout: Duration.Duration | undefined
  /** Undefined: calls are awaited. */
  readonly background: BackgroundOption.Settings | undefined
}

export const isComponentTool = (tool: Tool.Tool): tool is ComponentTool => Predicate.hasProperty(tool, "component")

/** The tools of an agent that are components. */
export const of = ({ tools }: { readonly tools: ReadonlyMap<string, Tool.Tool> }): ReadonlyArray<ComponentTool> =>
  tools.size === 0 ? [] : [...tools.values()].filter(isComponentTool)

/** What the tool is described with. */
const describedBy = (component: InnerComponent): Pick<Agent, "description" | "inputSchema" | "role"> => {
  if (Workflow.isWorkflow(component)) return { ...component, role: undefined }
  return Team.leaderOrSelf(component)
}

const Task = Schema.Struct({
  task: Schema.String.annotate({
    description: "What is to be done, with all that is needed to do it. Nothing else of this conversation is seen"
  })
})

const decodeTask = Schema.decodeUnknownEffect(Task)

/** The input of the run: the task, or what the schema of the component describes. */
const taskOf = (component: InnerComponent, args: unknown): Effect.Effect<Json.Value, Tool.ToolFailed> => {
  const { inputSchema } = describedBy(component)
  const decoded: Effect.Effect<Json.Value, { readonly message: string }> = inputSchema === undefined
    ? Effect.map(decodeTask(args), ({ task }) => task)
    : decodeJson(inputSchema, args as Json.Value)
  return Effect.catch(decoded, ({ message }) => Delegation.failed(`Invalid arguments: ${message}`))
}

/** As it is called in one run. */
export const bound = (tool: ComponentTool, ask: Delegation.AskMember): Tool.Tool => {
  const { background, component, name, runTimeout: timeout } = tool
  return {
    ...tool,
    call: Effect.fnUntraced(function*(args, context) {
      const task = yield* taskOf(component, args)
      const awaited = Effect.gen(function*() {
        const key = Delegation.keyOf(context)
        const { sessionState } = context
        const output = yield* ask({ key, id: idOf(name), member: component, task, sessionState, timeout })
        const child = Delegation.childRun(component, output)
        if (timeout === undefined || output.status !== "CANCELLED") return child
        const content = InnerTimeLimit.reasonOf(timeout)
        yield* Effect.annotateLogs(Effect.logWarning(content), { tool: name })
        return new ChildRun({ ...child, content })
      })
      const called = { settings: background, tool: name, component, input: task, context }
      return yield* BackgroundTasks.startOr(called, awaited)
    })
  }
}

const prefix = "tool/"

/** Of its runs in the journal. Ids of members have no slash. */
const idOf = (name: string): string => `${prefix}${name}`

/** The tool whose runs have the id in the journal. */
export const find = (tools: ReadonlyArray<ComponentTool>, id: string): ComponentTool | undefined =>
  id.startsWith(prefix) ? tools.find(({ name }) => idOf(name) === id) : undefined

const refuseHumanSteps = (tool: string, workflow: AnyWorkflow): void => {
  const step = firstIn(workflow)
  if (step === undefined) return
  throw new Mistake(`Tool '${tool}': workflow '${workflow.id}' cannot be a tool, because ${step}`)
}

/**
 * An agent, a team or a workflow as a tool: the model gives it a task, or the input that its `inputSchema` describes,
 * and reads its answer. A call is a run of its own, inside of the calling run: it is cancelled, paused and resumed with
 * it, and its usage counts to it.
 *
 * Throws an `Error` that names the tool if its name is not usable, and if the component is a workflow that can wait for
 * a person.
 *
 * ```ts
 * import { Agent, ComponentTool } from "@svc-runtime/server"
 *
 * const translator = Agent.make({ id: "translator", role: "Translates texts into plain English" })
 *
 * export const editor = Agent.make({
 *   id: "editor",
 *   tools: [ComponentTool.make({ component: translator, maxCalls: 3 })]
 * })
 * ```
 */
export const make = (options: Options): ComponentTool => {
  const owner = AuthorOptions.ownerOf("ComponentTool", options, "name")
  AuthorOptions.check(owner, options, kinds)
  if (!isAgent(options.component) && !Team.isTeam(options.component) && !Workflow.isWorkflow(options.component)) {
    throw mismatch(`${owner}: component`, "an agent, a team or a workflow", options.component)
  }
  const { background, component, description, streamEvents = false, ...named } = options
  const { name = ToolName.of(component.id), ...limits } = named
  const { description: ofComponent, inputSchema, role } = describedBy(component)
  if (Workflow.isWorkflow(component)) refuseHumanSteps(name, component)
  const declared = Tool.make({
    ...limits,
    name,
    description: description ?? role ?? ofComponent ?? `Gives a task to ${component.name}, and returns its answer.`,
    parameters: inputSchema?.jsonSchema ?? Task,
    effects: "idempotent",
    execute: () => Effect.die(new Error(`The tool '${name}' is called in a run only`))
  })
  const runTimeout = limits.timeout === undefined ? undefined : declared.timeout
  const inBackground = BackgroundOption.settings(`Tool '${name}'`, background)
  return { ...declared, component, streamEvents, runTimeout, background: inBackground }
}
