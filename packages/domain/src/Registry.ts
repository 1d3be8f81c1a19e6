// The registry: the parts of components that their configs can name.
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
  /** The id of an agent, a team or a manager. */
  id: text,
  description: text,
  metadata: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "RegistryContentResponse" })
export type Resource = typeof Resource.Type
