// Knowledge: the contents that agents search.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Internal,
  Invalid,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType
} from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import * as Listing from "@svc-runtime/api/query/Listing"
import { withDefault } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import { formOf } from "@svc-runtime/api/RunEndpoints"
import * as ContentSource from "@svc-runtime/domain/ContentSource"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Content from "./Knowledge.ts"
import * as KnowledgeConfig from "./KnowledgeConfig.ts"
import { ContentForm, ContentPatchForm, RemoteContentForm } from "./KnowledgeForms.ts"
import { KnowledgeSearchRequest } from "./KnowledgeSearchRequest.ts"

const inSessions = { admitsSessionTokens: true }

const knowledge = { knowledge_id: Schema.String }
const database = { db_id: Schema.optionalKey(Ids.DatabaseId) }
const choice = { ...database, knowledge_id: Schema.optionalKey(Schema.String) }
const content = { content_id: Content.ContentId }
const errors = [BadRequest, Forbidden, NotFound, Unavailable] as const

/** Errors of a form that stores or changes a content. */
const formErrors = [
  ...errors,
  RequestTimeout,
  Conflict,
  PayloadTooLarge,
  UnsupportedMediaType,
  Invalid,
  TooManyRequests
] as const

const idempotent = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description: "Requests with the same key store a content once, for a day"
    })
  )
}

const accepted = Content.Record.pipe(HttpApiSchema.status(202))

export class Knowledge extends HttpApiGroup.make("knowledge")
  .add(
    HttpApiEndpoint.post("upload", "/knowledge/content", {
      headers: idempotent,
      query: choice,
      payload: formOf(ContentForm),
      success: accepted,
      error: formErrors
    })
      .annotateMerge(requires("knowledge:write"))
      .annotate(OpenApi.Identifier, "upload_content"),
    HttpApiEndpoint.post("uploadRemote", "/knowledge/remote-content", {
      headers: idempotent,
      query: choice,
      payload: formOf(RemoteContentForm),
      success: accepted,
      error: formErrors
    })
      .annotateMerge(requires("knowledge:write"))
      .annotate(OpenApi.Identifier, "upload_remote_content"),
    HttpApiEndpoint.get("list", "/knowledge/content", {
      query: { ...Listing.pages({ limit: 20, firstPage: 0 }), ...Listing.sortedBy("created_at"), ...choice },
      success: Pagination.page(Content.Record, "PaginatedContents"),
      error: errors
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "get_content"),
    HttpApiEndpoint.get("get", "/knowledge/content/:content_id", {
      params: content,
      query: choice,
      success: Content.Record,
      error: errors
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "get_content_by_id"),
    HttpApiEndpoint.patch("update", "/knowledge/content/:content_id", {
      params: content,
      query: choice,
      payload: formOf(ContentPatchForm),
      success: Content.Record,
      error: formErrors
    })
      .annotateMerge(requires("knowledge:write"))
      .annotate(OpenApi.Identifier, "update_content"),
    HttpApiEndpoint.delete("remove", "/knowledge/content/:content_id", {
      params: content,
      query: choice,
      success: Schema.Struct({ id: Content.ContentId }).annotate({ identifier: "RemovedContent" }),
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("knowledge:delete"))
      .annotate(OpenApi.Identifier, "delete_content_by_id"),
    HttpApiEndpoint.delete("removeAll", "/knowledge/content", {
      query: choice,
      success: Schema.Literal("success"),
      error: errors
    })
      .annotateMerge(requires("knowledge:delete"))
      .annotate(OpenApi.Identifier, "delete_all_content"),
    HttpApiEndpoint.get("status", "/knowledge/content/:content_id/status", {
      params: content,
      query: choice,
      success: KnowledgeConfig.ContentStatus,
      error: errors
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "get_content_status"),
    HttpApiEndpoint.post("search", "/knowledge/search", {
      query: choice,
      payload: KnowledgeSearchRequest,
      success: Pagination.page(Content.SearchResult, "PaginatedSearchResults"),
      error: [...errors, Conflict, Invalid]
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "search_knowledge"),
    HttpApiEndpoint.get("config", "/knowledge/config", {
      query: choice,
      success: KnowledgeConfig.Config,
      error: errors
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "get_knowledge_config"),
    HttpApiEndpoint.get("listSources", "/knowledge/:knowledge_id/sources", {
      params: knowledge,
      query: database,
      success: Schema.Array(ContentSource.Source),
      error: errors
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "list_content_sources"),
    HttpApiEndpoint.get("listFiles", "/knowledge/:knowledge_id/sources/:source_id/files", {
      params: { ...knowledge, source_id: Schema.String },
      query: {
        prefix: Schema.optionalKey(Schema.String),
        ...Listing.pages({ limit: 100, maximum: 1000 }),
        delimiter: withDefault(Schema.String, "/"),
        ...database
      },
      success: ContentSource.Files,
      error: [...errors, Invalid, Unauthenticated, Internal]
    })
      .annotateMerge(requires("knowledge:read", inSessions))
      .annotate(OpenApi.Identifier, "list_content_source_files")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Knowledge", description: "Contents that agents search" }))
{}

export const texts: Texts = {
  operations: {
    upload_content: {
      method: "add",
      summary: "Add a content",
      description:
        "Adds a file, a web page or a text to the knowledge. It is processed in the background: the status says when it " +
        "can be found.",
      body: { name: "Holidays", text_content: "Every employee has 30 days of holiday." }
    },
    upload_remote_content: {
      method: "addRemote",
      summary: "Add contents from a source",
      description: "Fetches a file or a folder from a configured source, in the background.",
      body: { config_id: "handbooks", path: "2026/" }
    },
    get_content: {
      method: "list",
      summary: "List the contents",
      description: "Returns the contents of a knowledge instance."
    },
    get_content_by_id: {
      method: "get",
      summary: "Get a content",
      description: "Returns one content, with how far it is processed."
    },
    get_content_status: {
      method: "status",
      summary: "Get how far a content is processed",
      description: "Returns the state of the processing, and why it failed if it did."
    },
    update_content: {
      method: "update",
      summary: "Change a content",
      description: "Changes the name, the description or the metadata. With another reader it is processed again.",
      body: { name: "Holidays" }
    },
    delete_content_by_id: {
      method: "delete",
      summary: "Delete a content",
      description: "Removes a content and all of its chunks."
    },
    delete_all_content: {
      method: "deleteAll",
      summary: "Delete all contents",
      description: "Removes all contents of a knowledge instance that belong to the caller."
    },
    search_knowledge: {
      method: "search",
      summary: "Search the knowledge",
      description: "Returns the chunks that fit the query best, by meaning, by words or by both.",
      body: { query: "days of holiday" }
    },
    get_knowledge_config: {
      method: "config",
      summary: "Get what the knowledge can do",
      description: "Returns readers, chunkers, kinds of search and the metadata to filter by."
    },
    list_content_sources: {
      method: "sources",
      summary: "List the sources",
      description: "Returns the places outside of the service that contents can be fetched from."
    },
    list_content_source_files: {
      method: "sourceFiles",
      summary: "List the files of a source",
      description: "Returns the files and folders in a folder of the source."
    }
  }
}
