// The input of a factory or of a component with an input schema: a field for each simple property, JSON for the rest.
import { useState } from "preact/hooks"
import { parsed } from "../parts/parsed.ts"
import { TextField } from "../parts/TextField.tsx"

type Json = Readonly<Record<string, unknown>>

const typesOf = (schema: Json): ReadonlyArray<unknown> => {
  const { anyOf, enum: values, type } = schema as { anyOf?: ReadonlyArray<Json>; enum?: unknown; type?: unknown }
  if (values !== undefined) return ["enum"]
  if (anyOf !== undefined) return anyOf.flatMap(typesOf).filter((each) => each !== "null")
  return Array.isArray(type) ? type.filter((each) => each !== "null") : [type]
}

/** What the text of a field means for its schema. Undefined: it does not fit. */
const read = (schema: Json, text: string): unknown => {
  const [type] = typesOf(schema)
  if (type === "string") return text
  if (type === "enum") return (schema["enum"] as ReadonlyArray<unknown>).find((value) => String(value) === text)
  return parsed(text)
}

const propertiesOf = (schema: Json) => Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>)

const requiredOf = (schema: Json) => (schema["required"] ?? []) as ReadonlyArray<string>

/** Whether the form has a field at all. */
export const hasFields = (schema: Json): boolean => propertiesOf(schema).length > 0

/** Whether all required fields have a value. The service checks the values. */
export const isComplete = (schema: Json, value: Json): boolean =>
  requiredOf(schema).every((name) => value[name] !== undefined)

interface Shown {
  readonly legend: string
  readonly schema: Json
  readonly value: Json
  readonly change: (value: Json) => void
}

export const SchemaForm = ({ change, legend, schema, value }: Shown) => {
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
        const [type] = typesOf(property)
        const choices = type === "boolean"
          ? ["true", "false"]
          : type === "enum"
          ? (property["enum"] as Array<unknown>).map(String)
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
          </label>
        )
      })}
    </fieldset>
  )
}
