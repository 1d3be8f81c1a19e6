// From the form that goes on with a run to what that means. What it says of calls has to be right; options of a new run are
// dropped with a warning when they cannot be read, as in the form that starts one.
import { Errors, FlagText } from "@svc/api"
import { Ids, Json } from "@svc/domain"
import { AgentContinuation, TeamContinuation } from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import type { FormBody } from "./FormBody.ts"
import { json, optionalField, problem, required } from "./FormFields.ts"

const Fields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  tools: Schema.optionalKey(Schema.String),
  requirements: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(FlagText),
  background: Schema.optionalKey(FlagText),
  stream_events: Schema.optionalKey(FlagText),
  on_disconnect: Schema.optionalKey(Schema.Literals(["continue", "cancel"])),
  input: Schema.optionalKey(Schema.String),
  additional_instructions: Schema.optionalKey(Schema.String),
  continue_from: Schema.optionalKey(Schema.String),
  fork: Schema.optionalKey(FlagText),
  regenerate: Schema.optionalKey(FlagText),
  replace_original: Schema.optionalKey(FlagText),
  dependencies: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.String)
})
type Fields = typeof Fields.Type

export interface ContinueForm {
  readonly session_id: string | undefined
  /** For a factory: the run stays its user's. */
  readonly user_id: Ids.UserId | undefined
  readonly stream: boolean
  readonly background: boolean
  readonly streamEvents: boolean
  readonly cancelOnDisconnect: boolean
  /** The text of `tools`: what is wrong with it is told after other things. */
  readonly tools: string | undefined
  /** As `tools`, of a team. */
  readonly requirements: string | undefined
  readonly input: string | undefined
  readonly from: "end" | "last_user" | number
  readonly fork: boolean
  readonly regenerate: boolean
  readonly replaceOriginal: boolean
  readonly dependencies: Json.Object
  readonly metadata: Json.Object | undefined
}

const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })
const dependencies = json("dependencies", Json.Input)
const metadata = json("metadata", Json.Input)

const fromOf = (
  { continue_from: from = "end" }: Fields
): Effect.Effect<ContinueForm["from"], Errors.BadRequest> => {
  if (from === "end" || from === "last_user") return Effect.succeed(from)
  return /^\d{1,9}$/.test(from)
    ? Effect.succeed(Number(from))
    : Effect.fail(
      Errors.badRequest("Invalid continue_from. Use 'end', 'last_user', or a numeric message index.")
    )
}

const contradictionIn = (fields: Fields): string | undefined => {
  if (fields.regenerate === true && fields.fork === true) return "regenerate and fork cannot be used together"
  if (fields.replace_original !== undefined && fields.regenerate !== true) return "replace_original needs regenerate"
  if (fields.input !== undefined && fields.additional_instructions !== undefined) {
    return "input and additional_instructions are the same: give one of them"
  }
  return fields.regenerate === true && /^\d+$/.test(fields.continue_from ?? "")
    ? "regenerate cannot be used with a numeric continue_from"
    : undefined
}

export const decode = Effect.fnUntraced(function*({ fields: raw }: FormBody) {
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
  const contradiction = contradictionIn(fields)
  if (contradiction !== undefined) return yield* Errors.badRequest(contradiction)
  const form: ContinueForm = {
    session_id: fields.session_id,
    user_id: fields.user_id,
    stream: fields.stream ?? true,
    background: fields.background ?? false,
    streamEvents: fields.stream_events ?? true,
    cancelOnDisconnect: fields.on_disconnect === "cancel",
    tools: fields.tools,
    requirements: fields.requirements,
    input: fields.input ?? fields.additional_instructions,
    from: yield* fromOf(fields),
    fork: fields.fork ?? false,
    regenerate: fields.regenerate ?? false,
    replaceOriginal: fields.replace_original ?? true,
    dependencies: Option.getOrElse(yield* dependencies(fields), () => ({})),
    metadata: Option.getOrUndefined(yield* metadata(fields))
  }
  return form
})

/** A field that says something of many things. Undefined when it is not there. */
const listIn = <A>(name: "tools" | "requirements", item: Schema.Codec<A, unknown>) => {
  const decodeItems = Schema.decodeUnknownEffect(Schema.Array(item))
  return Effect.fnUntraced(function*({ [name]: text }: ContinueForm) {
    if (text === undefined) return undefined
    const value = yield* required(name, text)
    return yield* Effect.mapError(
      decodeItems(value),
      ({ message }) => Errors.badRequest(`Invalid structure or content for ${name}: ${message}`)
    )
  })
}

/** What is said of the calls of an agent's run. */
export const toolsOf = listIn("tools", AgentContinuation.SentTool)

/** What is said of what a team's run waits for. */
export const requirementsOf = listIn("requirements", TeamContinuation.SentRequirement)
