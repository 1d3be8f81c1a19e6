// The filter of an author's option. What is wrong with it is thrown, because that is the moment at which the author
// looks.
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import { isFields, mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Predicate, Result } from "effect"

export const filterOf = (owner: string, option: string, filters: Json.Value | undefined): KnowledgeFilter.Filter => {
  if (filters === undefined) return KnowledgeFilter.everything
  if (Predicate.isObject(filters) && !isFields(filters)) {
    throw mismatch(`${owner}: ${option}`, "an object or a list", filters, AuthorOptions.fields(filters))
  }
  const parsed = KnowledgeFilter.parse(filters)
  if (Result.isSuccess(parsed)) return parsed.success
  throw new Mistake(`${owner}: ${option} cannot be used: ${parsed.failure}`)
}
