// The options of requests about runs. A table has the name of each option on the wire, its values, its default and its
// description. Forms, sockets, tools and commands are derived from the tables, so an option is named here and where it
// acts.
import { Schema } from "effect"
import { ClientTools } from "./ClientTool.ts"
import { EarlierMessages } from "./EarlierMessage.ts"
import { IdInput } from "./Ids.ts"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import { ModelSettings } from "./ModelSettings.ts"

interface Described {
  readonly description: string
}

export interface Flag<Default extends boolean | undefined = boolean | undefined> extends Described {
  readonly kind: "flag"
  readonly default: Default
}

export interface Choice<Value extends string = string> extends Described {
  readonly kind: "choice"
  readonly schema: Schema.Literals<ReadonlyArray<Value>>
  readonly default: Value
  /** The description of the argument of a tool. */
  readonly argument: string
}

/** JSON as text in a form. Text that does not fit is dropped. */
export interface JsonText<A = unknown, Default extends A | undefined = A | undefined> extends Described {
  readonly kind: "json"
  readonly schema: Schema.Codec<A, unknown>
  readonly default: Default
  /** The description in forms that continue a run. */
  readonly continuing?: string
  /** A request with a text that does not fit is refused. */
  readonly isStrict?: true
}

export interface Text extends Described {
  readonly kind: "text"
  /** Any text when left out. */
  readonly schema?: Schema.Codec<string, string>
  readonly default: undefined
}

export type Option = Flag | Choice | JsonText | Text
export type Table = Readonly<Record<string, Option>>

type Value<O> = O extends JsonText<infer A, infer Default> ? A | Default
  : O extends Text ? string | undefined
  : O extends Choice<infer Value> ? Value
  : O extends Flag<infer Default> ? boolean | Default
  : never

export type Values<T> = { readonly [Name in keyof T]: Value<T[Name]> }

/** The values that a request gives. */
export type Given<T> = { readonly [Name in keyof T]?: Value<T[Name]> | null | undefined }

const flag = <Default extends boolean | undefined>(byDefault: Default, description: string): Flag<Default> => ({
  kind: "flag",
  default: byDefault,
  description
})

const choice = <Value extends string>(
  [byDefault, ...others]: readonly [Value, ...ReadonlyArray<Value>],
  description: string,
  argument: string
): Choice<Value> => ({
  kind: "choice",
  schema: Schema.Literals<ReadonlyArray<Value>>([byDefault, ...others]),
  default: byDefault,
  description,
  argument
})

const json = <A>(
  schema: Schema.Codec<A, unknown>,
  description: string,
  continuing?: string
): JsonText<A, undefined> => ({
  kind: "json",
  schema,
  default: undefined,
  description,
  ...(continuing === undefined ? {} : { continuing })
})

/** The action when the client of the run disconnects. */
export const disconnect = {
  on_disconnect: choice(
    ["continue", "cancel"],
    "Whether a run whose client disconnects continues (the default) or ends",
    "When the client disconnects: continue the run, or cancel it."
  )
}

const stream = flag(true, "Respond with server-sent events (the default) or with one JSON body")
const stream_events = flag(true, "With false only the answer itself is streamed. Default true")

/** How the result of a request that continues a workflow is sent. */
export const workflowResponse = { stream, stream_events }

/** How the result of a request that starts a run, or continues one of an agent or a team, is sent. */
export const response = {
  stream,
  background: flag(false, "Respond at once with 202 and the id of the run, unless streamed. Default false"),
  stream_events
}

/** All that a request over HTTP says about its response. */
export const httpResponse = { ...response, ...disconnect }

/** The action at the start of a run in a session with other runs. */
export const start = {
  if_busy: choice(
    ["queue", "reject", "interrupt"],
    "What happens while another run of the session is executing: this one waits for its turn (the default), is " +
      "refused with 409, or has the others cancelled",
    "While another run of the session has not ended: wait for it (queue), fail (reject), or cancel it (interrupt)."
  ),
  previous_run_id: {
    kind: "text",
    schema: IdInput,
    default: undefined,
    description: "The run of the session that this one comes after, or start, to come after no run. The last run of " +
      "the path when left out"
  } satisfies Text,
  evaluation: flag(
    false,
    "The run is rated: a session that it begins does not count in usage metrics. Needs the scope evals:write"
  )
}

/** What a new run does while its session is busy. */
export const whenBusy = (if_busy: (typeof start.if_busy.schema)["Type"]) => ({ if_busy })

/** The options of a new run of any kind of component, besides its input. */
export const given = {
  dependencies: {
    ...json(
      Json.Input,
      "A JSON object, handed to instructions and tools",
      "A JSON object, handed to instructions and tools of a new run"
    ),
    default: {}
  } satisfies JsonText<Json.Object, Json.Object>,
  metadata: json(Json.Input, "A JSON object, kept with the run", "A JSON object, kept with a new run")
}

/** The options with which a run of any kind of component is started. */
export const shared = {
  session_state: json(Json.Input, "A JSON object, merged into the stored state of the session"),
  ...given
}

/** The form of an agent's answer. */
export const answer = {
  output_schema: json(Json.Input, "A JSON Schema that the answer has to fit"),
  use_json_schema: flag(false, "Hand output_schema to the model as it is, without naming the type")
}

/** Media beside the uploaded files. */
export const media = {
  images: json(Schema.Array(Media.Image), "A JSON array of images with base64 content or a url"),
  audio: json(Schema.Array(Media.Audio), "A JSON array of audio clips with base64 content or a url"),
  videos: json(Schema.Array(Media.Video), "A JSON array of videos with base64 content or a url"),
  input_files: json(Schema.Array(Media.File), "A JSON array of documents with content or a url")
}

/** The options that a run shares with the runs of its members and steps. */
export const inherited = {
  /** The setting of the agent when left out. True does not switch it on. */
  memory: flag(undefined, "With false the run neither uses nor updates memories of the user"),
  knowledge_filters: json(
    Json.InputValue,
    "A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"
  )
}

/** The context that an agent, or the leader of a team, shows its model. */
export const context = {
  /** The setting of the agent when left out. */
  add_history_to_context: flag(undefined, "Show the model the earlier runs of the session"),
  add_dependencies_to_context: flag(false, "Show the model the dependencies"),
  add_session_state_to_context: flag(false, "Show the model the state of the session"),
  ...inherited
}

/** The tools and messages that a client adds to a run of an agent, or of the leader of a team. */
export const client = {
  client_tools: json(
    ClientTools,
    "A JSON array of tools (name, description, parameters) that the client executes: the run pauses at a call"
  ),
  earlier_messages: json(
    EarlierMessages,
    "A JSON array of messages (role, content) that the model sees before the input. They are not stored"
  )
}

/** The model of a run, and the settings of its requests. Authors say which ones requests may choose. */
export const model = {
  model: {
    kind: "text",
    default: undefined,
    description: "The model of this run as provider:model, one of offered_models of the component"
  } satisfies Text,
  model_settings: {
    ...json(
      ModelSettings,
      "A JSON object of settings of the model, such as temperature: those in offered_settings of the component"
    ),
    isStrict: true
  } satisfies JsonText<ModelSettings, undefined>
}

/** The names of the options on the wire. */
export const namesOf = <const T extends Table>(table: T): ReadonlyArray<keyof T & string> =>
  Object.keys(table) as ReadonlyArray<keyof T & string>

/** One value per option: the given one, or the default. Null counts as not given. */
export const valuesOf = <const T extends Table>(table: T, given: Given<T>): Values<T> => {
  const values: Record<string, unknown> = {}
  for (const name in table) values[name] = given[name] ?? table[name]?.default
  return values as Values<T>
}

export const defaultsOf = <const T extends Table>(table: T): Values<T> => valuesOf(table, {})

/** One field per option. */
export const fieldsOf = <const T extends Table, Fields extends { readonly [Name in keyof T]: Schema.Top }>(
  table: T,
  field: (option: Option, name: string) => Schema.Top
): Fields => Object.fromEntries(Object.entries(table).map(([name, option]) => [name, field(option, name)])) as Fields

/** The fields of a message in JSON. Null counts as not given. */
export type NullableFields<T> = {
  readonly [Name in keyof T]: Schema.optionalKey<Schema.NullOr<Schema.Codec<Value<T[Name]>>>>
}

export const nullableFields = <const T extends Table>(table: T): NullableFields<T> =>
  fieldsOf<T, NullableFields<T>>(
    table,
    (option) =>
      Schema.optionalKey(Schema.NullOr(
        option.kind === "choice"
          ? option.schema.annotate({ description: option.argument })
          : option.kind === "flag"
          ? Schema.Boolean.annotate({ description: option.description })
          : (option.schema ?? Schema.String).annotate({ description: option.description })
      ))
  )

/** The options of a run of an evaluation. It leaves no memories, and does not count in usage metrics. */
export const evaluated = { memory: false, evaluation: true } satisfies Given<typeof inherited & typeof start>

/** The options of a run whose answer a client rates. It is cancelled if its client disconnects. */
export const rated = { ...evaluated, on_disconnect: "cancel" } satisfies Given<
  typeof inherited & typeof start & typeof disconnect
>

/** The options of a run of a judge, which answers with a value of this JSON Schema. */
export const judging = (schema: object) => ({ ...rated, output_schema: JSON.stringify(schema) })

export const isEvaluation = ({ evaluation }: Given<typeof start>): boolean => evaluation === true
