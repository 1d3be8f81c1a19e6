// Makes the run command for a request that starts a run, for every kind of component.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as AnySchema from "@svc-runtime/engine/schema/AnySchema"
import * as Form from "@svc-runtime/engine/tool/Form"
import { Clock, Effect, identity, Option, Predicate } from "effect"
import * as ModelOptions from "../agent/define/ModelOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import type { Resolved } from "../factory/FactoryResolver.ts"
import * as Team from "../team/Team.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as Workflow from "../workflow/Workflow.ts"
import type { WorkflowCommand } from "../workflow/WorkflowCommand.ts"
import { type AnyComponent, isComponent, type Registered } from "./Components.ts"
import * as RunInputChecks from "./RunInputChecks.ts"
import type { RunOptions } from "./RunOptions.ts"
import { InputTooLarge, InvalidInput, OptionNotOffered } from "./RunServiceErrors.ts"
import type { StartRequest } from "./StartRequest.ts"

const samples: Readonly<Record<string, Json.Value>> = {
  string: "…",
  integer: 1,
  number: 1.5,
  boolean: true,
  array: [],
  object: {}
}

const maxExample = 300

/** `, such as {"order": 1}`: the fields that the schema requires. */
const exampleOf = ({ jsonSchema: { properties, required } }: AnySchema.Shape<unknown>): string => {
  if (!Array.isArray(required) || !Predicate.isObject(properties)) return ""
  const fields = required.filter(Predicate.isString).map((name): [string, Json.Value] => {
    const type = Predicate.hasProperty(properties, name) && Predicate.hasProperty(properties[name], "type")
      ? properties[name].type
      : undefined
    return [name, Predicate.isString(type) ? samples[type] ?? null : null]
  })
  const text = JSON.stringify(Object.fromEntries(fields))
  return fields.length === 0 || text.length > maxExample ? "" : `, such as ${text}`
}

const notJson = (kind: ComponentKind.ComponentKind, shape: AnySchema.Shape<unknown>) => () =>
  new InvalidInput({
    isJson: false,
    issues: [{ path: [], message: `This ${kind} takes JSON that fits its input_schema${exampleOf(shape)}` }]
  })

const mismatch = ({ issues }: AnySchema.Mismatch) => new InvalidInput({ isJson: true, issues })

/** The text of the message, or the JSON that the component declares. */
const inputContent = Effect.fnUntraced(function*(
  kind: ComponentKind.ComponentKind,
  shape: AnySchema.Shape<unknown> | undefined,
  message: string,
  maxValues: number
) {
  if (shape === undefined) return message as Json.Value
  if (JsonValues.exceed(message, maxValues)) return yield* new InputTooLarge({ limit: maxValues })
  const value = yield* Effect.mapError(Effect.fromOption(Json.parseInput(message)), notJson(kind, shape))
  return yield* Effect.mapError(AnySchema.decodeJson(shape, value), mismatch)
})

const checkGiven = (
  component: AnyComponent,
  options: RunOptions,
  checkedBy?: (shape: AnySchema.Shape<unknown>) => AnySchema.Shape<unknown>
): Effect.Effect<void, InvalidInput> =>
  Effect.mapError(
    RunInputChecks.ofRun(component, options, checkedBy),
    ({ cause: { issues }, field }) => new InvalidInput({ isJson: true, field, issues })
  )

const refusedChoice = (component: AnyComponent, options: RunOptions): Option.Option<ModelOptions.NotOffered> => {
  if (Workflow.isWorkflow(component)) return ModelOptions.withoutModel(component, options)
  return ModelOptions.notOffered(Team.leaderOrSelf(component), options)
}

const checkChoices = (component: AnyComponent, options: RunOptions): Effect.Effect<void, OptionNotOffered> => {
  const refused = refusedChoice(component, options)
  return Option.isNone(refused) ? Effect.void : new OptionNotOffered(refused.value)
}

/** By real time: the code of the author may ask another service, and a start does not wait for one that is down. */
const checkLimit = Effect.provideService(Effect.sleep("1 second"), Clock.Clock, Clock.Clock.defaultValue())

/**
 * Refuses only what both the structure and the author's code refuse. The code can depend on the moment, or on another
 * service, and takes values that the structure does not show, such as ones that it converts.
 */
const lenient = (shape: AnySchema.Shape<unknown>): AnySchema.Shape<unknown> => ({
  ...shape,
  decode: (input) =>
    Form.problemIn(shape.jsonSchema as Json.Object, input as Json.Value) === undefined
      ? Effect.succeed(input)
      : Effect.raceFirst(shape.decode(input), Effect.as(checkLimit, input))
})

export interface Checked extends Pick<StartRequest, "component" | "factoryInput" | "message" | "options"> {
  /** Whether it will be sent later, when a check of the author's code can say another thing. */
  readonly isLater?: boolean | undefined
}

/** What is wrong with a request whose component is known before it is sent. Of a factory, the input is known. */
export const check = Effect.fnUntraced(function*(
  registered: Registered,
  { component: { kind }, factoryInput, isLater = false, message, options }: Checked
) {
  const checkedBy = isLater ? lenient : identity
  if (!isComponent(registered)) {
    const { inputSchema } = registered
    yield* FactoryInput.decode(factoryInput, inputSchema && checkedBy(inputSchema))
    return
  }
  yield* checkChoices(registered, options)
  yield* checkGiven(registered, options, checkedBy)
  const { inputSchema } = Team.leaderOrSelf(registered)
  yield* inputContent(kind, inputSchema && checkedBy(inputSchema), message, Number.POSITIVE_INFINITY)
})

export interface Options {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  /** Whether the session has to be the caller's own. */
  readonly isolated: boolean
  /** The maximum number of values of a message that is JSON. */
  readonly maxValues: number
}

export const make = Effect.fnUntraced(function*(
  { component, ...made }: Resolved<AnyComponent>,
  { component: { kind }, isRepeated, media = {}, message, options, place, user_id }: Pick<
    StartRequest,
    "component" | "isRepeated" | "media" | "message" | "options" | "place" | "user_id"
  >,
  { isolated, maxValues, run_id, session_id }: Options
): Effect.fn.Return<RunCommand, InputTooLarge | InvalidInput | OptionNotOffered> {
  yield* checkChoices(component, options)
  yield* checkGiven(component, options)
  const input = {
    input_content: yield* inputContent(kind, Team.leaderOrSelf(component).inputSchema, message, maxValues),
    ...media
  }
  const fields = {
    ...options,
    ...made,
    run_id,
    session_id,
    user_id,
    isolated,
    input,
    place,
    isRepeated
  }
  const command: AgentCommand | TeamCommand | WorkflowCommand = Team.isTeam(component)
    ? { ...fields, team: component }
    : Workflow.isWorkflow(component)
    ? { ...fields, workflow: component }
    : { ...fields, agent: component }
  return command
})
