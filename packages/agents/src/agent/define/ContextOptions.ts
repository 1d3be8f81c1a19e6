// The options of an agent's context in a stored command, which has their names without the suffix.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"

type Names = keyof typeof RunOption.context
type StoredName<Name> = Name extends `${infer Short}_to_context` ? Short : Name

export type Values = RunOption.Values<typeof RunOption.context>
type Fields = {
  readonly [Name in Names as StoredName<Name>]: (typeof RunOption.context)[Name] extends RunOption.JsonText
    ? Schema.optionalKey<typeof Json.Value>
    : undefined extends Values[Name] ? Schema.optionalKey<typeof Schema.Boolean>
    : typeof Schema.Boolean
}
type Stored = Schema.Struct.Type<Fields>

const names = Object.keys(RunOption.context) as ReadonlyArray<Names>
const storedNames = new Map(names.map((name) => [name, name.replace(/_to_context$/, "")]))
const storedName = (name: Names) => storedNames.get(name) as keyof Stored

const schemaOf = ({ default: byDefault, kind }: RunOption.Option) => {
  if (kind === "json") return Schema.optionalKey(Json.Value)
  return byDefault === undefined ? Schema.optionalKey(Schema.Boolean) : Schema.Boolean
}

export const fields = Object.fromEntries(
  names.map((name) => [storedName(name), schemaOf(RunOption.context[name])])
) as Fields

export const encode = (values: Values): Stored => {
  const stored: { [name: string]: unknown } = {}
  for (const name of names) if (values[name] !== undefined) stored[storedName(name)] = values[name]
  return stored as Stored
}

export const decode = (stored: Stored): Values =>
  Object.fromEntries(names.map((name) => [name, stored[storedName(name)]])) as Values
