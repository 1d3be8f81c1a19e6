// The options that the runs inside of a run have in common with it.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"
import * as SessionLimit from "./SessionLimit.ts"

type Wanted = RunOption.Values<typeof RunOption.inherited>

export interface InheritedOptions extends Wanted, SessionLimit.SessionLimit {}

type Fields = {
  readonly [Name in keyof Wanted]: Schema.optionalKey<
    (typeof RunOption.inherited)[Name] extends RunOption.JsonText ? typeof Json.Value : typeof Schema.Boolean
  >
}

/** As they are stored with a run. */
export const fields = RunOption.fieldsOf<typeof RunOption.inherited, Fields>(
  RunOption.inherited,
  ({ kind }) => Schema.optionalKey(kind === "json" ? Json.Value : Schema.Boolean)
)

type Stored = Schema.Struct.Type<Fields>

export const of = (options: InheritedOptions): InheritedOptions => ({
  ...RunOption.valuesOf(RunOption.inherited, options),
  ...SessionLimit.of(options)
})

/** Without the limit, which is stored with the run and not with its options. */
export const encode = (options: Wanted): Stored =>
  Object.fromEntries(
    Object.entries(RunOption.valuesOf(RunOption.inherited, options)).filter(([, value]) => value !== undefined)
  )

/** Whether a run uses and updates what is known about its user, which comes from all sessions. */
export const reachesUser = ({ limited_to_session, memory }: Pick<InheritedOptions, "limited_to_session" | "memory">) =>
  memory !== false && limited_to_session !== true

/** Whether the caller wants a run that neither uses nor updates what is known about the user, as stored. */
export const isWithoutMemory = (stored: Json.Object): boolean => stored["memory"] === false

export const decode = (stored: Stored): Wanted => RunOption.valuesOf(RunOption.inherited, stored)
