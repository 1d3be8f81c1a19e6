// The options that the runs inside of a run have in common with it.
import * as Json from "@svc/domain/Json"
import * as RunOption from "@svc/domain/RunOption"
import { Schema } from "effect"

export type InheritedOptions = RunOption.Values<typeof RunOption.inherited>

type Fields = {
  readonly [Name in keyof InheritedOptions]: Schema.optionalKey<
    Name extends "knowledge_filters" ? typeof Json.Value : typeof Schema.Boolean
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

export const decode = (stored: Stored): InheritedOptions => RunOption.valuesOf(RunOption.inherited, stored)
