// The command of a run of an agent. All fields except the agent are stored, so that any node can resume the run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import { ClientTools } from "@svc-runtime/domain/ClientTool"
import { EarlierMessages } from "@svc-runtime/domain/EarlierMessage"
import * as Json from "@svc-runtime/domain/Json"
import { ModelSettings } from "@svc-runtime/domain/ModelSettings"
import type * as Run from "@svc-runtime/domain/Run"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import { type JsonSchema, Option, Schema } from "effect"
import type { Agent } from "../define/Agent.ts"
import { type AgentRunOptions, BackgroundTaskRole } from "../define/AgentRunOptions.ts"
import * as ContextOptions from "../define/ContextOptions.ts"
import type { OutputSchema } from "./model/StructuredOutput.ts"

export interface AgentCommand extends RunCommand, SharedOptions.SharedOptions, AgentRunOptions {
  readonly agent: Agent
  /** The root run around a member run. Left out: this run. It is not stored, because only root runs are resumed. */
  readonly root_run_id?: Run.Id | undefined
  /** The start of a run that continues another one. */
  readonly entries?: ReadonlyArray<Json.Object>
}

const Stored = Schema.Struct({
  ...SharedOptions.fields,
  model: Schema.optionalKey(Schema.String),
  model_settings: Schema.optionalKey(ModelSettings),
  output_schema: Schema.optionalKey(Schema.Struct({ schema: Json.Object, content_type: Schema.String })),
  client_tools: Schema.optionalKey(ClientTools),
  earlier_messages: Schema.optionalKey(EarlierMessages),
  later_messages: Schema.optionalKey(EarlierMessages),
  whole_history: Schema.optionalKey(Schema.Boolean),
  background_task: Schema.optionalKey(BackgroundTaskRole),
  ...ContextOptions.fields
})

export const hasHistory = ({ add_history_to_context, agent }: AgentCommand): boolean =>
  add_history_to_context ?? agent.addHistoryToContext

/** Of a history without a limit of its author. Its bytes are limited too. */
const maxHistoryRuns = 1000

/** The number of earlier runs that it is shown. */
export const historyOf = (command: AgentCommand): number => {
  const { agent: { limitsHistory, numHistoryRuns }, wholeHistory } = command
  if (!hasHistory(command)) return 0
  return wholeHistory === true && !limitsHistory ? maxHistoryRuns : numHistoryRuns
}

/** The run that is resumed when this one, or a run inside it, gets a decision. */
export const rootOf = ({ root_run_id, run_id }: Pick<AgentCommand, "root_run_id" | "run_id">): Run.Id =>
  root_run_id ?? run_id

/** Only root runs are scored, and read for memories and learnings: the user speaks to them. */
export const isRoot = ({ root_run_id }: Pick<AgentCommand, "root_run_id">): boolean => root_run_id === undefined

/** As JSON, without the fields of the run itself. */
export const encode = (command: AgentCommand): Json.Object => {
  const { backgroundTask, client_tools, earlier_messages, laterMessages, model, model_settings, ...others } = command
  const { outputSchema, wholeHistory } = others
  const stored: typeof Stored.Type = {
    ...SharedOptions.encode(command),
    ...(model === undefined ? {} : { model }),
    ...(model_settings === undefined ? {} : { model_settings }),
    ...(outputSchema === undefined ? {} : {
      output_schema: { schema: outputSchema.shape.jsonSchema as Json.Object, content_type: outputSchema.contentType }
    }),
    ...(client_tools === undefined ? {} : { client_tools }),
    ...(earlier_messages === undefined ? {} : { earlier_messages }),
    ...(laterMessages === undefined ? {} : { later_messages: laterMessages }),
    ...(wholeHistory === undefined ? {} : { whole_history: wholeHistory }),
    ...(backgroundTask === undefined ? {} : { background_task: backgroundTask }),
    ...ContextOptions.encode(command)
  }
  return Json.of(stored)
}

const decodeStored = Schema.decodeUnknownOption(Stored)

const outputSchemaOf = ({ output_schema }: typeof Stored.Type): Option.Option<OutputSchema | undefined> => {
  if (output_schema === undefined) return Option.some(undefined)
  const { content_type, schema } = output_schema
  return Option.map(
    Option.liftThrowable(fromJsonSchema)(schema as JsonSchema.JsonSchema),
    (shape) => ({ shape, contentType: content_type })
  )
}

/** The options that `encode` has stored. None if they have an unknown format. */
export const decodeOptions = (json: unknown): Option.Option<AgentRunOptions & SharedOptions.SharedOptions> =>
  Option.gen(function*() {
    const stored = yield* decodeStored(json)
    const outputSchema = yield* outputSchemaOf(stored)
    return {
      ...SharedOptions.decode(stored),
      model: stored.model,
      model_settings: stored.model_settings,
      outputSchema,
      client_tools: stored.client_tools,
      earlier_messages: stored.earlier_messages,
      laterMessages: stored.later_messages,
      wholeHistory: stored.whole_history,
      backgroundTask: stored.background_task,
      ...ContextOptions.decode(stored)
    }
  })

/** The command of a stored run. None if it has an unknown format. */
export const decode = (
  agent: Agent,
  { command, output, run_id, session_id, user_id }: RunSnapshot
): Option.Option<Omit<AgentCommand, "stream" | "background">> =>
  Option.gen(function*() {
    const run = yield* Option.liftPredicate(output, AnyRun.isAgentOrTeam)
    return {
      agent,
      run_id,
      session_id,
      user_id: user_id ?? undefined,
      // its access to the session was checked at its start
      isolated: false,
      input: AnyRun.inputOf(run),
      ...yield* decodeOptions(command?.["options"])
    }
  })

/**
 * The caller wants a run that neither uses nor updates what is known about the user. `InheritedOptions.reachesUser` is
 * the rule for what comes from other sessions.
 */
export const isWithoutMemory = (command: AgentCommand): boolean => command.memory === false
