// `svc api`: any request to the service, with the address and the credential that other commands use.
import * as Json from "@svc-runtime/domain/Json"
import { Effect, FileSystem, Option, Path } from "effect"
import { Argument, Command } from "effect/cli"
import { HttpBody, HttpClientRequest, type HttpMethod } from "effect/http"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"
import * as Flags from "../Flags.ts"
import { piped } from "../Piped.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

const methods: ReadonlyArray<string> = ["DELETE", "GET", "PATCH", "POST", "PUT"] satisfies Array<HttpMethod.HttpMethod>

const flags = {
  words: Argument.String("request").pipe(
    Argument.withDescription("The path, such as /sessions?limit=5, or the method and the path"),
    Argument.variadic({ min: 1, max: 2 })
  ),
  data: Flags.text("data", "JSON", "The body: JSON, @FILE, or - for standard input. The method is then POST", "d"),
  ...AdminTarget.flags
}

const lineOf = Effect.fnUntraced(function*(words: ReadonlyArray<string>, data: string | undefined) {
  const path = words.at(-1) ?? ""
  const method = (words.length > 1 ? words[0] ?? "" : data === undefined ? "GET" : "POST").toUpperCase()
  if (!methods.includes(method)) {
    return yield* new UsageError({ message: `Invalid method: ${method}. Expected ${methods.join(", ")}` })
  }
  return { method: method as HttpMethod.HttpMethod, path }
})

/** An address of the service only: others would get the credential. */
const urlOf = (base: string, path: string) =>
  Option.filter(
    Option.liftThrowable(() => new URL(`${base}${path}`))(),
    ({ href, origin }) => path.startsWith("/") && origin === new URL(base).origin && href.startsWith(base)
  )

const bodyOf = Effect.fnUntraced(function*(data: string) {
  const text = data === "-" ? yield* piped : data.startsWith("@") ? yield* contentOf(data.slice(1)) : data
  if (Option.isSome(Json.parse(text))) return text
  return yield* new UsageError({ message: "Invalid --data value: it is no JSON" })
})

const contentOf = Effect.fnUntraced(function*(name: string) {
  const [files, path, { cwd }] = [yield* FileSystem.FileSystem, yield* Path.Path, yield* Environment]
  return yield* Effect.mapError(
    files.readFileString(path.resolve(cwd, name)),
    (error) => new CommandFailed({ message: `Could not read ${name}: ${inWords(error)}` })
  )
})

const indented = (document: Json.Value): string => JSON.stringify(document, null, 2)

export const api = Command.make("api", flags, ({ data, json, words, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const { method, path } = yield* lineOf(words, data)
      const body = data === undefined ? undefined : yield* bodyOf(data)
      const service = yield* ServiceClient.open(given)
      const url = Option.getOrUndefined(urlOf(service.url, path))
      if (url === undefined) {
        return yield* new UsageError({
          message: `Invalid path: ${path}. Expected a path of the service, such as /agents`
        })
      }
      const request = HttpClientRequest.make(method)(url, {
        accept: "application/json",
        ...(body === undefined ? {} : { body: HttpBody.text(body, "application/json") })
      })
      const text = yield* Effect.mapError(
        ServiceClient.fetched(service, request),
        ServiceClient.failed(`${method} ${path}`)
      )
      const document = Option.getOrElse(Json.parse(text), (): Json.Value => text === "" ? null : text)
      const human = typeof document === "string" ? document : indented(document)
      return {
        document,
        human: text === "" ? output.success(`${method} ${path} succeeded. The response is empty.`) : output.line(human)
      }
    })
  )).pipe(
    Command.withDescription("Send a request to the service, and print its JSON. It has all that has no command."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Send any request to the service"),
    Command.withExamples([
      { command: "svc api /budgets" },
      { command: "svc api POST /budgets --data @budget.json" },
      { command: "svc api DELETE /skills/refunds" }
    ])
  )
