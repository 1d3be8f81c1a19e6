// The request that searches a knowledge base.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { optional } from "@svc-runtime/domain/schema/optional"
import { Effect, Schema } from "effect"
import * as Content from "./Knowledge.ts"

const Page = Schema.Struct({
  limit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(20))
  ),
  page: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
}).annotate({ identifier: "SearchPage" })

export const KnowledgeSearchRequest = Schema.Struct({
  query: Schema.String,
  db_id: optional(Ids.DatabaseId),
  knowledge_id: optional(Schema.String),
  vector_db_ids: optional(Schema.Array(Schema.String)),
  search_type: optional(Content.SearchType),
  max_results: optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(Content.maxResults))
  ),
  /** Values of metadata, or an expression with `op`. */
  filters: optional(Schema.Union([Json.Input, Schema.Array(Json.Input)])),
  meta: optional(Page)
}).annotate({ identifier: "VectorSearchRequest" })
export type KnowledgeSearchRequest = typeof KnowledgeSearchRequest.Type
