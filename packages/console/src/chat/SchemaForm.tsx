// The input of a factory or of a component with an input schema: a field for each simple property, JSON for the rest.
import { useState } from "preact/hooks"
import { parsed } from "../parts/parsed.ts"
import { TextField } from "../parts/TextField.tsx"

type Json = Readonly<Record<string, unknown>>

/** The schema of a value that is not null. */
const givenOf = (schema: Json): Json => {
  const branches = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
  const [branch, ...others] = branches?.filter(({ type }) => type !== "null") ?? []
  return branch === undefined || others.length > 0 ? schema : { ...schema, ...branch }
}

/** `enum`, or the only type. Undefined: the value is written as JSON. */
const typeOf = (schema: Json): unknown => {
  if (Array.isArray(schema["enum"])) return "enum"
  const { type } = schema
  const types = (Array.isArray(type) ? type as ReadonlyArray<unknown> : [type]).filter((each) => each !== "null")
  return types.length === 1 ? types[0] : undefined
}

const valuesOf = (schema: Json): ReadonlyArray<unknown> =>
  (schema["enum"] as ReadonlyArray<unknown>).filter((value) => value !== null)

/** What the text of a field means for its schema. Undefined: it does not fit. */
const read = (schema: Json, text: string): unknown => {
  const type = typeOf(schema)
  if (type === "string") return text
  return type === "enum" ? valuesOf(schema).find((value) => String(value) === text) : parsed(text)
}

const propertiesOf = (schema: Json): ReadonlyArray<readonly [name: string, property: Json]> =>
  Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>)
    .map(([name, property]) => [name, givenOf(property)])

const requiredOf = (schema: Json) => (schema["required"] ?? []) as ReadonlyArray<string>

/** Whether the form has a field at all. */
export const hasFields = (schema: Json): boolean => propertiesOf(schema).length > 0

/** Whether all required fields have a value. The service checks the values. */
export const isComplete = (schema: Json, value: Json): boolean =>
  requiredOf(schema).every((name) => value[name] !== undefined)

interface Props {
  readonly legend: string
  readonly schema: Json
  readonly value: Json
  readonly change: (value: Json) => void
}

export const SchemaForm = ({ change, legend, schema, value }: Props) => {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const properties = propertiesOf(schema)
  const required = requiredOf(schema)
  const set = (name: string, property: Json, text: string) => {
    setTexts({ ...texts, [name]: text })
    const { [name]: _, ...rest } = value
    const given = text === "" ? undefined : read(property, text)
    change(given === undefined ? rest : { ...rest, [name]: given })
  }
  return (
    <fieldset class="schema">
      <legend>{legend}</legend>
      {properties.map(([name, property]) => {
        const type = typeOf(property)
        const choices = type === "boolean"
          ? ["true", "false"]
          : type === "enum"
          ? valuesOf(property).map(String)
          : undefined
        const text = texts[name] ??
          (value[name] === undefined ? "" : typeof value[name] === "string" ? value[name] : JSON.stringify(value[name]))
        const isWrong = text !== "" && read(property, text) === undefined
        const description = property["description"]
        return (
          <label key={name}>
            {name}
            {required.includes(name) ? " (required)" : ""}
            {typeof description === "string" ? <span class="quiet">{description}</span> : null}
            {choices === undefined
              ? (
                <TextField
                  isNumber={type === "number" || type === "integer"}
                  value={text}
                  isWrong={isWrong}
                  placeholder={type === "string" || type === "number" || type === "integer" ? "" : "JSON"}
                  change={(text) => set(name, property, text)}
                />
              )
              : (
                <select value={text} onChange={(event) => set(name, property, event.currentTarget.value)}>
                  <option value="" />
                  {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
                </select>
              )}
            {isWrong ? <span class="problem">This is no value of the field, and is not sent</span> : null}
          </label>
        )
      })}
    </fieldset>
  )
}
