// Learnings: what agents know about users, sessions, entities and their own decisions.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { withDefault } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Learning from "./Learning.ts"

const text = Schema.optionalKey(Schema.String)
const sorting = { sort_by: text, sort_order: withDefault(Sort.Order, "desc") }
const learning = { learning_id: Learning.Id }
const errors = [BadRequest, Forbidden, NotFound, Unavailable] as const

export class Learnings extends HttpApiGroup.make("learnings")
  .add(
    HttpApiEndpoint.get("list", "/learnings", {
      query: {
        learning_type: text,
        ...owner,
        agent_id: text,
        team_id: text,
        session_id: text,
        namespace: text,
        entity_id: text,
        entity_type: text,
        status: Schema.optionalKey(Learning.Status),
        ...Listing.pages({ limit: 100, maximum: 1000 }),
        ...sorting,
        ...database
      },
      success: Pagination.page(Learning.Learning, "PaginatedLearnings"),
      error: errors
    })
      .annotateMerge(requires("learnings:read"))
      .annotate(OpenApi.Identifier, "list_learnings"),
    HttpApiEndpoint.post("create", "/learnings", {
      query: database,
      payload: Learning.Create,
      success: Learning.Learning.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, Invalid]
    })
      .annotateMerge(requires("learnings:write"))
      .annotate(OpenApi.Identifier, "create_learning"),
    HttpApiEndpoint.get("listUsers", "/learnings/users", {
      query: { learning_type: text, ...owner, ...Listing.pages({ limit: 20, maximum: 1000 }), ...sorting, ...database },
      success: Pagination.page(Learning.User, "PaginatedLearningUsers"),
      error: errors
    })
      .annotateMerge(requires("learnings:read"))
      .annotate(OpenApi.Identifier, "list_learning_users"),
    HttpApiEndpoint.delete("removeOfUser", "/learnings/users/:user_id", {
      params: { user_id: Ids.UserIdInput },
      query: { learning_type: text, ...database },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("learnings:delete"))
      .annotate(OpenApi.Identifier, "delete_user_learnings"),
    HttpApiEndpoint.get("get", "/learnings/:learning_id", {
      params: learning,
      query: database,
      success: Learning.Learning,
      error: errors
    })
      .annotateMerge(requires("learnings:read"))
      .annotate(OpenApi.Identifier, "get_learning"),
    HttpApiEndpoint.patch("update", "/learnings/:learning_id", {
      params: learning,
      query: database,
      payload: Learning.Patch,
      success: Learning.Learning,
      error: [...errors, Invalid]
    })
      .annotateMerge(requires("learnings:write"))
      .annotate(OpenApi.Identifier, "update_learning"),
    HttpApiEndpoint.delete("remove", "/learnings/:learning_id", {
      params: learning,
      query: database,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("learnings:delete"))
      .annotate(OpenApi.Identifier, "delete_learning")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Learnings", description: "What agents know about users, sessions and entities" })
  )
{}

export const texts: Texts = {
  operations: {
    list_learnings: {
      summary: "List the learnings",
      description: "Returns what agents have learned. It can be filtered by type, namespace, user and entity."
    },
    create_learning: {
      summary: "Create a learning",
      description: "Stores something that agents should know. Some types have one record for each user or entity.",
      body: { learning_type: "decision_log", content: { decision: "Wait." }, user_id: "ann" }
    },
    list_learning_users: {
      method: "users",
      summary: "List the users with learnings",
      description: "Returns each user who has learnings, with the time of the last change."
    },
    delete_user_learnings: {
      method: "deleteOfUser",
      summary: "Delete the learnings of a user",
      description: "Removes all learnings of one user."
    },
    get_learning: { summary: "Get a learning", description: "Returns one learning." },
    update_learning: {
      summary: "Change a learning",
      description: "Replaces the content or the metadata of a learning.",
      body: { content: { decision: "Go." } }
    },
    delete_learning: { summary: "Delete a learning", description: "Removes one learning." }
  }
}
