// The audit log: who changed what.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditEntry } from "./AuditEntry.ts"

const text = Schema.optionalKey(Schema.String)

/** Times are ISO 8601. */
const filter = { actor: text, subject_kind: text, subject_id: text, request_id: text, since: text, until: text }

export class Audit extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: { ...filter, ...Listing.pages({ limit: 20, maximum: 500 }) },
      success: Pagination.page(AuditEntry, "PaginatedAuditEntries"),
      error: [BadRequest, Unavailable]
    })
      .annotateMerge(requires("audit:read"))
      .annotate(OpenApi.Identifier, "list_audit_entries"),
    HttpApiEndpoint.get("export", "/audit/export", {
      query: filter,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
      error: [BadRequest, Unavailable]
    })
      .annotateMerge(requires("audit:read"))
      .annotate(OpenApi.Identifier, "export_audit_entries")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Audit", description: "Who changed what" }))
{}

export const texts: Texts = {
  operations: {
    list_audit_entries: {
      summary: "List who changed what",
      description: "Returns the changes that callers made, the newest first. Isolated callers get their own changes."
    },
    export_audit_entries: {
      method: "export",
      summary: "Export who changed what",
      description: "Returns the same entries as lines of JSON, the oldest first, without a limit."
    }
  },
  fields: {
    actor: "The user who made the change. Null if the credential named no user",
    "AuditEntry.at": "When the change began, in epoch seconds",
    "AuditEntry.id": "A number in the order of the changes",
    "AuditEntry.status": "The status of the response. Null until it is known, and if the process ended before it",
    counts: "How many rows an erasure removed, by what they were, or how many a request named",
    credential: "The kind of the credential, such as `jwt` or `service_account`",
    since: "What happened from this time on (ISO 8601)",
    subject_id: "What was changed: the id after the kind in the path, or the one that was created",
    subject_kind: "The kind of what was changed, such as `schedules`",
    until: "What happened until this time (ISO 8601)"
  }
}
