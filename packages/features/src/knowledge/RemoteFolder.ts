// The pages of lists of content sources.
import { Errors } from "@svc-runtime/api"
import type * as Wire from "@svc-runtime/domain/ContentSource"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { Effect } from "effect"
import * as ContentSource from "./ContentSource.ts"

const failed = Effect.fnUntraced(function*({ message, reason }: ContentSource.ContentSourceFailed) {
  if (reason === "missing") return yield* Errors.notFound(message)
  if (reason === "credentials") return yield* Errors.unauthenticated(message)
  const [detail, request_id] = [`Failed to list files: ${message}`, yield* RequestId.current]
  yield* Effect.annotateLogs(Effect.logError(detail), { request_id })
  return yield* new Errors.Internal({ detail, error_code: "INTERNAL_SERVER_ERROR", request_id })
})

const pathInvalid = (loc: ReadonlyArray<string>, msg: string) =>
  Errors.invalid([{ loc: [...loc], msg, type: "value_error" }])

interface Query extends Pagination.Request {
  readonly prefix?: string | undefined
  readonly delimiter: string
}

/** The longest delimiter. */
const maxDelimiterLength = 16

/** A page of the files of a prefix. The first one has its folders. */
export const pageOf = Effect.fnUntraced(function*(source: ContentSource.Source, query: Query) {
  const { id, list, name, type } = source
  if (list === undefined) return yield* Errors.badRequest(`Source type '${type}' does not support file listing.`)
  const { delimiter, prefix = source.prefix } = query
  const problem = ContentSource.pathProblem(source, prefix)
  if (problem !== undefined) return yield* pathInvalid(["query", "prefix"], problem.replace(/^path/, "prefix"))
  if (delimiter.length > maxDelimiterLength || !delimiter.isWellFormed()) {
    return yield* pathInvalid(["query", "delimiter"], `delimiter must have at most ${maxDelimiterLength} characters`)
  }
  const request = { prefix, delimiter, maximum: ContentSource.maxListing }
  const { files, folders } = yield* Effect.catchTag(list(request), "ContentSourceFailed", failed)
  const response: Wire.Files = {
    source_id: id,
    source_name: name,
    prefix,
    folders: query.page === 1 ? folders : [],
    files: Pagination.slice(query, files),
    meta: Pagination.meta(query, files.length)
  }
  return response
})
