// The options of an agent's context in a stored command, which has their names without the suffix.
import * as RunOption from "@svc/domain/RunOption"
import { Schema } from "effect"

type Names = keyof typeof RunOption.context
type StoredName<Name> = Name extends `${infer Short}_to_context` ? Short : Name

export type Values = RunOption.Values<typeof RunOption.context>
type Fields = {
  readonly [Name in Names as StoredName<Name>]: undefined extends Values[Name] ?
    Schema.optionalKey<typeof Schema.Boolean>
    : typeof Schema.Boolean
}
type Stored = Schema.Struct.Type<Fields>

const names = Object.keys(RunOption.context) as ReadonlyArray<Names>
const storedNames = new Map(names.map((name) => [name, name.replace(/_to_context$/, "")]))
const storedName = (name: Names) => storedNames.get(name) as keyof Stored

export const fields = Object.fromEntries(names.map((name) => [
  storedName(name),
  RunOption.context[name].default === undefined ? Schema.optionalKey(Schema.Boolean) : Schema.Boolean
])) as unknown as Fields

export const encode = (values: Values): Stored => {
  const stored: Partial<Record<keyof Stored, boolean>> = {}
  for (const name of names) if (values[name] !== undefined) stored[storedName(name)] = values[name]
  return stored as Stored
}

export const decode = (stored: Stored): Values =>
  Object.fromEntries(names.map((name) => [name, stored[storedName(name)]])) as unknown as Values
