// Memories of users.
import * as Memory from "@svc/domain/Memory"
import * as Pagination from "@svc/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { database, owner } from "./DatabaseQuery.ts"
import { BadRequest, Conflict, Forbidden, NotFound, TooManyRequests, Unavailable } from "./Errors.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { first } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

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
