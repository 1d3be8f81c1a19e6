// The public schemas of run options in forms, where every value is text.
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"

type FormValue<O, Value> = O extends RunOption.JsonText | RunOption.Text ? string
  : Value extends boolean ? boolean | string
  : Exclude<Value, undefined>

export type RunOptionFields<T extends RunOption.Table> = {
  readonly [Name in keyof T]: Schema.optionalKey<Schema.Codec<FormValue<T[Name], RunOption.Values<T>[Name]>>>
}

/** `true/false`, `1/0`, `yes/no`, `on/off`, `t/f`, `y/n`, in any case. */
export const flag = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.String]).annotate({ description }))

const text = (description: string, schema: Schema.Codec<string, string> = Schema.String) =>
  Schema.optionalKey(schema.annotate({ description }))

/** The fields of options in the form that starts a run. */
export const starting = <const T extends RunOption.Table>(table: T): RunOptionFields<T> =>
  RunOption.fieldsOf<T, RunOptionFields<T>>(table, (option) => {
    if (option.kind === "flag") return flag(option.description)
    if (option.kind === "json") return text(option.description)
    if (option.kind === "text") return text(option.description, option.schema)
    return Schema.optionalKey(option.schema.annotate({ description: option.description }))
  })

/** The fields of options in the forms that continue a run. The form that starts a run describes the choices. */
export const continuing = <const T extends RunOption.Table>(table: T): RunOptionFields<T> =>
  RunOption.fieldsOf<T, RunOptionFields<T>>(table, (option) => {
    if (option.kind === "flag") return flag(option.description)
    if (option.kind === "text") return text(option.description, option.schema)
    return option.kind === "json" ? text(option.continuing ?? option.description) : Schema.optionalKey(option.schema)
  })
