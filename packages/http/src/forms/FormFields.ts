// Shared by the forms of runs: which fields are given, and how fields with JSON text are decoded.
import { Errors, FlagText } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import * as ForeignNames from "@svc-runtime/engine/userCode/ForeignNames"
import { Context, Effect, Schema } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { FormBody } from "./FormBody.ts"

// Says what of a request has no effect: in the log, and in the header `Warning` of the response.

/** The sentences have no quotes and no characters that a header cannot have. */
export const warn = (sentences: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest) !== undefined) {
      const warning = sentences.map((sentence) => `299 - "${sentence}"`)
      HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) => {
        const earlier = response.headers["warning"]
        const all = earlier === undefined ? warning : [earlier, ...warning]
        return Effect.succeed(HttpServerResponse.setHeader(response, "warning", all.join(", ")))
      })
    }
    return Effect.logWarning(sentences.join(" "))
  })

/** Fields whose `null` and `none` are text. In all others, which are options of a run, they are absent. */
const literalFields = ["message", "stream", "background", "session_id", "user_id", "version", "input", "factory_input"]
const isNothing = (value: string) => value.length === 4 && ["null", "none"].includes(value.toLowerCase())

/** Empty values are absent, and so are options that are `null` or `none`. */
export const optionalField = (fields: Readonly<Record<string, string>>): Record<string, string> => {
  const present: Record<string, string> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === "" || (isNothing(value) && !literalFields.includes(name))) continue
    present[name] = value
  }
  return present
}

type OptionFields<T extends RunOption.Table> = {
  readonly [Name in keyof T]: Schema.optionalKey<
    Schema.Codec<
      T[Name] extends RunOption.JsonText | RunOption.Text ? string : Exclude<RunOption.Values<T>[Name], undefined>,
      string
    >
  >
}

/** The schemas that read the options of a run. */
export const optionFields = <const T extends RunOption.Table>(table: T): OptionFields<T> =>
  RunOption.fieldsOf<T, OptionFields<T>>(
    table,
    (option) =>
      Schema.optionalKey(
        option.kind === "flag"
          ? FlagText
          : option.kind === "json"
          ? Schema.String
          : option.schema ?? Schema.String
      )
  )

/** Sets of given fields whose decoder is kept. Clients send few of them. */
const maxDecoders = 200

/** Decodes a struct of many fields of which a form has few: an optional field that is not given costs nothing. */
export const decodeGiven = <A>(
  schema: Schema.Codec<A, unknown> & { readonly fields: Readonly<Record<string, Schema.Codec<unknown, unknown>>> },
  required: ReadonlyArray<string>
) => {
  const names = Object.keys(schema.fields)
  const decoderOf = (decoded: Schema.Codec<A, unknown>) => Schema.decodeUnknownEffect(decoded, { errors: "all" })
  const whole = decoderOf(schema)
  const decoders = new Map<string, typeof whole>()
  return (given: Readonly<Record<string, string>>): ReturnType<typeof whole> => {
    const present = names.filter((name) => Object.hasOwn(given, name) || required.includes(name))
    const key = present.join()
    const known = decoders.get(key)
    if (known !== undefined) return known(given)
    if (decoders.size >= maxDecoders) return whole(given)
    const fields = Object.fromEntries(Object.entries(schema.fields).filter(([name]) => present.includes(name)))
    const decode = decoderOf(Schema.Struct(fields) as unknown as Schema.Codec<A, unknown>)
    decoders.set(key, decode)
    return decode(given)
  }
}

export const problem = (error: Schema.SchemaError) => Errors.invalid(fromSchemaError("body", error))

/** An option that is JSON text. An unreadable one is dropped with a warning, or refused if it is strict. */
const decodeJson = (name: string, { isStrict, schema }: RunOption.JsonText) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema), {
    errors: "all",
    onExcessProperty: isStrict === true ? "error" : "ignore"
  })
  const dropped = Effect.as(
    warn([`The field '${name}' is dropped: it is not the JSON it should be`]),
    undefined
  )
  return (text: unknown): Effect.Effect<unknown, Errors.Invalid> =>
    text === undefined ? Effect.undefined : Effect.catch(decode(text), (error) =>
      isStrict === true
        ? Effect.fail(Errors.invalid(
          fromSchemaError("body", error).map((problem) => ({
            ...problem,
            loc: ["body", name, ...problem.loc.slice(1)]
          }))
        ))
        : dropped)
}

/** Reads the options of a table that are JSON text. One that is left out or dropped has its default. */
export const jsonOptions = <const T extends Readonly<Record<string, RunOption.JsonText>>>(table: T) => {
  const decoders = Object.entries(table).map(([name, option]) => [name, decodeJson(name, option)] as const)
  return (fields: { readonly [Name in keyof T]?: string }): Effect.Effect<RunOption.Values<T>, Errors.Invalid> => {
    if (decoders.every(([name]) => fields[name] === undefined)) return Effect.succeed(RunOption.valuesOf(table, {}))
    return Effect.map(
      Effect.forEach(decoders, ([name, decode]) => Effect.map(decode(fields[name]), (value) => [name, value] as const)),
      (values) => RunOption.valuesOf(table, Object.fromEntries(values) as RunOption.Given<T>)
    )
  }
}

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** The JSON of a field that must be valid. It is checked before any recursive function reads it. */
const required = Effect.fnUntraced(function*(name: string, text: string) {
  const value = yield* Effect.mapError(parse(text), () => Errors.badRequest(`Invalid JSON in ${name} field`))
  const refusal = Json.refusalOf(value as Json.Value)
  return refusal === undefined ? value as Json.Value : yield* Errors.invalid([{ loc: ["body", name], ...refusal }])
})

/** The JSON of a field that may be left out. */
export const parsed = <const Name extends string>(name: Name, { [name]: text }: { readonly [name in Name]?: string }) =>
  text === undefined ? Effect.undefined : required(name, text)

// Says which fields of a form are unknown. They are ignored, as clients of the contract expect, and a typing error
// would otherwise have no effect that anyone sees. A service can refuse them instead.

/** Whether the form that is decoded is refused if it has unknown fields. `Forms` says so. */
export const IsStrict = Context.Reference<boolean>("@svc-runtime/http/forms/FormFields/IsStrict", {
  defaultValue: () => false
})

/** Of one request. */
const maxSentences = 10

/** Characters that a header may have inside of quotes. */
const unsafe = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** A name in a header. */
const shortened = (name: string): string => name.slice(0, 64).replaceAll(unsafe, "?")

/** What to do about an unknown field. */
const adviceOn = (name: string, known: ReadonlySet<string>): string => {
  const meant = Misspelling.meant(name, known)
  if (meant !== undefined) return `Is '${meant}' meant?`
  return ForeignNames.todoFor(name, { names: known, inner: new Map() }) ?? "It has no effect."
}

export const checkUnknown = (
  given: Readonly<Record<string, string>>,
  known: ReadonlySet<string>
): Effect.Effect<void, Errors.Invalid> =>
  Effect.withFiber((fiber) => {
    const unknown = Object.keys(given).filter((name) => !known.has(name)).slice(0, maxSentences)
    if (unknown.length === 0) return Effect.void
    if (!fiber.getRef(IsStrict)) {
      return warn(unknown.map((name) => `The field '${shortened(name)}' is unknown. ${adviceOn(name, known)}`))
    }
    return Effect.fail(Errors.invalid(unknown.map((name) => ({
      loc: ["body", name],
      msg: `The field is unknown. ${adviceOn(name, known)}`,
      type: "extra_forbidden"
    }))))
  })

// Refuses files in fields of a form that are text: they would be media of the input, or have no effect.

/** Clients send files in them too. */
const media: ReadonlySet<string> = new Set(RunOption.namesOf(RunOption.media))

const msg = "It is text, and was sent as a file: send its content without a file name"

export const refuseFilesInTexts = (
  { files }: Pick<FormBody, "files">,
  known: ReadonlySet<string>
): Effect.Effect<void, Errors.Invalid> => {
  const names = new Set(files.map(({ field }) => field).filter((name) => known.has(name) && !media.has(name)))
  return names.size === 0
    ? Effect.void
    : Effect.fail(Errors.invalid([...names].map((name) => ({ loc: ["body", name], msg, type: "string_type" }))))
}
