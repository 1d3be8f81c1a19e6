// `svc explain CODE`: the cause of an error and what to do, without a service and without a network.
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import type { Explained } from "../explain/Explained.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"

const loaded = Effect.promise(() => import("../explain/Explained.ts"))

const show = Effect.fnUntraced(function*(output: Output["Service"], { cause, code, page, todo }: Explained) {
  if (code !== undefined) yield* output.line(code)
  yield* output.line(`Cause:       ${cause}`)
  yield* output.line(`What to do:  ${todo}`)
  yield* output.line(`Page:        docs/${page}`)
})

export const explain = Command.make(
  "explain",
  {
    error: Argument.String("error").pipe(
      Argument.withDescription("A code, such as TOO_MANY_REQUESTS, or the text of an error"),
      Argument.optional
    ),
    json: Flags.json
  },
  ({ error, json }) =>
    present(
      json,
      Effect.gen(function*() {
        const output = yield* Output
        const { all, find } = yield* loaded
        if (Option.isNone(error)) {
          const codes = all.map(({ cause, code }) => ({ code, cause }))
          return { document: codes, human: Effect.forEach(codes, ({ code }) => output.line(code), { discard: true }) }
        }
        const found = find(error.value)
        if (found.length === 0) {
          return yield* new CommandFailed({
            message: `No error has this code or text: ${onOneLine(error.value)}`,
            hint: "svc explain lists all codes."
          })
        }
        const document = found.map(({ cause, code = null, kind, page, todo }) => ({ code, kind, cause, todo, page }))
        return { document, human: Effect.forEach(found, (each) => show(output, each), { discard: true }) }
      })
    )
).pipe(
  Command.withDescription("Explain the code or the text of an error: its cause, and what to do. It needs no service."),
  Command.withShortDescription("Explain the code or the text of an error"),
  Command.withExamples([
    { command: "svc explain TOO_MANY_REQUESTS" },
    { command: "svc explain \"OS_SECURITY_KEY is set and empty. Give it a value, or unset it\"" }
  ])
)
