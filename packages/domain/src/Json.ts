// JSON as the contract carries it: free-form objects keep every key and never become `unknown`.
import { Schema } from "effect"

export const Value: Schema.Codec<Value> = Schema.Json
export type Value = Schema.Json

export const Object = Schema.Record(Schema.String, Schema.Json)
export type Object = typeof Object.Type
