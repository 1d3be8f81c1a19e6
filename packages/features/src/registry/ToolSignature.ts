// The arguments of a tool in one line, for people.
import { type JsonSchema, Predicate } from "effect"

const typeOf = (schema: unknown): string => {
  const type = Predicate.hasProperty(schema, "type") ? schema.type : undefined
  return Predicate.isString(type) ? type : Array.isArray(type) ? type.join(" | ") : "any"
}

/** Such as `(city: string, days?: integer)`. */
export const of = ({ properties, required }: JsonSchema.JsonSchema): string => {
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const texts = Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, schema]) =>
    `${name}${needed.includes(name) ? "" : "?"}: ${typeOf(schema)}`
  )
  return `(${texts.join(", ")})`
}
