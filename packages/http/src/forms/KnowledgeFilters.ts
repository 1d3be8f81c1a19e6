// The run option `knowledge_filters`. An expression that cannot be used is refused, because a run without it would find
// more than its caller wants.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect, Option, Result } from "effect"
import { jsonOptions } from "./FormFields.ts"

const name = "knowledge_filters"
const table = { [name]: RunOption.inherited[name] }
const read = jsonOptions(table)

const checked = <T extends RunOption.Given<typeof table>>(options: T): Result.Result<T, string> =>
  options[name] === undefined || options[name] === null
    ? Result.succeed(options)
    : Result.map(KnowledgeFilter.parse(options[name]), () => options)

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body", name], msg, type }])

const isTooDeep = (text: string | undefined): boolean =>
  text !== undefined && Option.exists(Json.parse(text), (value) => !Json.isShallow(value))

/** Of a form. Text that is no JSON is dropped with a warning, like other options. */
export const of = Effect.fnUntraced(function*(fields: { readonly [name]?: string }) {
  if (isTooDeep(fields[name])) return yield* invalid(Json.tooDeep, "json_too_deep")
  const options = checked(yield* read(fields))
  return Result.isSuccess(options)
    ? options.success
    : yield* invalid(options.failure, "value_error")
})

/** The options of a message or of a tool that the runs inside of a run have in common with it. */
export const inherited = (given: RunOption.Given<typeof RunOption.inherited>) =>
  checked(RunOption.valuesOf(RunOption.inherited, given)).pipe(
    Result.mapError((problem) => `${name}: ${problem}`)
  )
