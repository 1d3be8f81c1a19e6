// Memories of users.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, NotFound, TooManyRequests, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { first } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const memory = { memory_id: Memory.Id }
const errors = [BadRequest, NotFound, Unavailable] as const
const writeErrors = [...errors, Forbidden, Conflict] as const

export class Memories extends HttpApiGroup.make("memories")
  .add(
    HttpApiEndpoint.post("create", "/memories", {
      query: database,
      payload: Memory.Write,
      success: Memory.Record,
      error: writeErrors
    })
      .annotateMerge(requires("memories:write"))
      .annotate(OpenApi.Identifier, "create_memory"),
    HttpApiEndpoint.get("list", "/memories", {
      query: {
        ...owner,
        agent_id: Schema.optionalKey(Schema.String),
        team_id: Schema.optionalKey(Schema.String),
        /** Separated by commas: a memory has all of them. */
        topics: Schema.optionalKey(first),
        search_content: Schema.optionalKey(Schema.String),
        /** By `meaning`: the memories of one user whose meaning is that of `search_content`, the best first. */
        search_by: Schema.optionalKey(Schema.Literals(["text", "meaning"])),
        ...Listing.pages({ limit: 20, firstPage: 0 }),
        ...Listing.sortedBy("updated_at"),
        ...database
      },
      success: Pagination.page(Memory.Record, "PaginatedMemories"),
      error: errors
    })
      .annotateMerge(requires("memories:read"))
      .annotate(OpenApi.Identifier, "get_memories"),
    HttpApiEndpoint.get("get", "/memories/:memory_id", {
      params: memory,
      query: { ...owner, ...database },
      success: Memory.Record,
      error: errors
    })
      .annotateMerge(requires("memories:read"))
      .annotate(OpenApi.Identifier, "get_memory"),
    HttpApiEndpoint.patch("update", "/memories/:memory_id", {
      params: memory,
      query: database,
      payload: Memory.Write,
      success: Memory.Record,
      error: writeErrors
    })
      .annotateMerge(requires("memories:write"))
      .annotate(OpenApi.Identifier, "update_memory"),
    HttpApiEndpoint.delete("remove", "/memories/:memory_id", {
      params: memory,
      query: { ...owner, ...database },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("memories:delete"))
      .annotate(OpenApi.Identifier, "delete_memory"),
    HttpApiEndpoint.delete("removeMany", "/memories", {
      query: database,
      payload: Memory.Remove,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("memories:delete"))
      .annotate(OpenApi.Identifier, "delete_memories"),
    HttpApiEndpoint.get("topics", "/memory_topics", {
      query: { ...owner, ...database },
      success: Schema.Array(Schema.String),
      error: errors
    })
      .annotateMerge(requires("memories:read"))
      .annotate(OpenApi.Identifier, "get_memory_topics"),
    HttpApiEndpoint.get("statistics", "/user_memory_stats", {
      query: { ...owner, ...Listing.pages({ limit: 20, firstPage: 0 }), ...database },
      success: Pagination.page(Memory.Statistics, "PaginatedUserMemoryStats"),
      error: errors
    })
      .annotateMerge(requires("memories:read"))
      .annotate(OpenApi.Identifier, "get_user_memory_stats"),
    HttpApiEndpoint.post("optimize", "/optimize-memories", {
      query: database,
      payload: Memory.Optimize,
      success: Memory.Optimized,
      error: [...writeErrors, TooManyRequests]
    })
      .annotateMerge(requires("memories:write"))
      .annotate(OpenApi.Identifier, "optimize_memories")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Memories", description: "What agents remember about users" }))
{}

export const texts: Texts = {
  operations: {
    create_memory: {
      summary: "Create a memory",
      description: "Stores what agents should remember of a user.",
      body: { memory: "Likes cake", topics: ["food"], user_id: "ann" }
    },
    get_memories: {
      summary: "List the memories",
      description: "Returns memories, the last changed first. They can be filtered by user, topic and text."
    },
    delete_memories: {
      method: "deleteMany",
      summary: "Delete several memories",
      description: "Removes the memories. Ids that do not exist are ignored.",
      body: { memory_ids: ["memory-1"], user_id: "ann" }
    },
    get_memory: { summary: "Get a memory", description: "Returns one memory." },
    update_memory: {
      summary: "Change a memory",
      description: "Replaces the text and the topics of a memory.",
      body: { memory: "Likes coffee", user_id: "ann" }
    },
    delete_memory: { summary: "Delete a memory", description: "Removes one memory." },
    get_memory_topics: {
      method: "topics",
      summary: "List the topics",
      description: "Returns the topics that memories have."
    },
    get_user_memory_stats: {
      method: "userStats",
      summary: "Count the memories of users",
      description: "Returns each user who has memories, with their number and the time of the last change."
    },
    optimize_memories: {
      method: "optimize",
      summary: "Shorten the memories of a user",
      description:
        "Lets a model join the memories of a user into fewer ones. Without `apply` it only shows what would result.",
      body: { user_id: "ann", apply: false }
    }
  }
}
