// The answer of a command that lists: a table and how much of the list it is, or a sentence if there is nothing.
import * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { CommandFailed } from "../CliError.ts"
import type { Answer } from "../CommandResult.ts"
import { Output } from "../terminal/Output.ts"
import type { Column } from "../terminal/Table.ts"

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly total_count: number }
}

interface List<A> {
  /** The plural name of the entries. */
  readonly name: string
  readonly read: (action: string) => Effect.Effect<Page<A & Json.Encodable<A>>, CommandFailed, HttpClient.HttpClient>
  readonly columns: ReadonlyArray<Column>
  readonly rowOf: (entry: A) => ReadonlyArray<string>
  readonly empty: string
}

export const of = Effect.fn("ListAnswer.of")(function*<A>({ columns, empty, name, read, rowOf }: List<A>) {
  const output = yield* Output
  const action = `Listing ${name}`
  const { data, meta: { total_count: total } } = yield* output.waiting(action, read(action))
  const rest = total > data.length ? output.note(`${data.length} of ${total} ${name}`) : Effect.void
  const answer: Answer = {
    // the response of the service is JSON
    document: { [name]: data.map((entry) => Json.of<A>(entry)), total },
    human: data.length === 0 ? output.line(empty) : Effect.andThen(output.table(columns, data.map(rowOf)), rest)
  }
  return answer
})
