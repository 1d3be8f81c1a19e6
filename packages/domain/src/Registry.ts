// What components of a service are made of, and what configs of components can name.
import { Schema } from "effect"
import * as Json from "./Json.ts"

export const ResourceType = Schema.Literals([
  "tool",
  "model",
  "db",
  "vector_db",
  "schema",
  "function",
  "agent",
  "team",
  "knowledge",
  "memory_manager",
  "session_summary_manager"
])
export type ResourceType = typeof ResourceType.Type

const text = Schema.optionalKey(Schema.String)

export const Resource = Schema.Struct({
  name: Schema.String,
  type: ResourceType,
  /** Of agents, teams and managers. */
  id: text,
  description: text,
  metadata: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "RegistryContentResponse" })
export type Resource = typeof Resource.Type
