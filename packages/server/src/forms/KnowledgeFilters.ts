// The run option `knowledge_filters`. Text that is no JSON is dropped with a warning, like other options; an expression
// that cannot be used is refused, because a run without it would find more than its caller wants.
import { Errors } from "@svc/api"
import * as KnowledgeFilter from "@svc/domain/KnowledgeFilter"
import * as RunOption from "@svc/domain/RunOption"
import { Effect, Result } from "effect"
import { jsonOptions } from "./FormFields.ts"

const read = jsonOptions({ knowledge_filters: RunOption.inherited.knowledge_filters })

export const of = Effect.fnUntraced(function*(fields: { readonly knowledge_filters?: string }) {
  const options = yield* read(fields)
  if (options.knowledge_filters === undefined) return options
  const parsed = KnowledgeFilter.parse(options.knowledge_filters)
  return Result.isSuccess(parsed) ? options : yield* Errors.invalid([
    { loc: ["body", "knowledge_filters"], msg: parsed.failure, type: "value_error" }
  ])
})
