// The options of an agent's context in a stored command, which has their names without the suffix.
import * as RunOption from "@svc/domain/RunOption"
import { Schema } from "effect"

type Names = keyof typeof RunOption.context
type StoredName<Name> = Name extends `${infer Short}_to_context` ? Short : never

export type Values = RunOption.Values<typeof RunOption.context>
type Fields = {
  readonly [Name in Names as StoredName<Name>]: undefined extends Values[Name] ?
    Schema.optionalKey<typeof Schema.Boolean>
    : typeof Schema.Boolean
}
type Stored = Schema.Struct.Type<Fields>

const names = Object.keys(RunOption.context) as ReadonlyArray<Names>
const storedName = (name: Names) => name.replace(/_to_context$/, "") as keyof Stored

export const fields = Object.fromEntries(names.map((name) => [
  storedName(name),
  RunOption.context[name].default === undefined ? Schema.optionalKey(Schema.Boolean) : Schema.Boolean
])) as unknown as Fields

export const encode = (values: Values): Stored =>
  Object.fromEntries(
    names.flatMap((name) => values[name] === undefined ? [] : [[storedName(name), values[name]]])
  ) as unknown as Stored

export const decode = (stored: Stored): Values =>
  Object.fromEntries(names.map((name) => [name, stored[storedName(name)]])) as unknown as Values
