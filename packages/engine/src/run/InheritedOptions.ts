// The options that the runs inside of a run have in common with it.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"

export type InheritedOptions = RunOption.Values<typeof RunOption.inherited>

type Fields = {
  readonly [Name in keyof InheritedOptions]: Schema.optionalKey<
    (typeof RunOption.inherited)[Name] extends RunOption.JsonText ? typeof Json.Value : typeof Schema.Boolean
  >
}

/** As they are stored with a run. */
export const fields = RunOption.fieldsOf<typeof RunOption.inherited, Fields>(
  RunOption.inherited,
  ({ kind }) => Schema.optionalKey(kind === "json" ? Json.Value : Schema.Boolean)
)

type Stored = Schema.Struct.Type<Fields>

export const of = (options: InheritedOptions): InheritedOptions => RunOption.valuesOf(RunOption.inherited, options)

export const encode = (options: InheritedOptions): Stored =>
  Object.fromEntries(Object.entries(of(options)).filter(([, value]) => value !== undefined))

/** Whether the caller wants a run that neither uses nor updates what is known about the user, as stored. */
export const isWithoutMemory = (stored: Json.Object): boolean => stored["memory"] === false

export const decode = (stored: Stored): InheritedOptions => RunOption.valuesOf(RunOption.inherited, stored)
