// Finds the service of a command. A script gets the first address or an error; in a terminal a command can offer a
// choice. No credential is sent.
import { Array as Arr, Effect, Result } from "effect"
import * as Service from "../calls/ServiceProbe.ts"
import { CommandFailed } from "../CliError.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import { Prompts } from "../terminal/Prompts.ts"
import { isLoopback, isMalformed } from "./Address.ts"
import { type Candidate, candidates, distinct, ofFirstSource, provenance, variable } from "./ServiceCandidates.ts"

/** A service and the source of its address. */
export interface Descriptor extends Service.Service {
  readonly url_source: Candidate["source"]
  readonly url_source_file: string | null
}

/** The MCP endpoint of the service, if any. */
export const mcpUrl = ({ mcp, url }: Pick<Descriptor, "mcp" | "url">): string => `${url}/${mcp.path.replace(/^\//, "")}`

const malformed = (candidate: Candidate) =>
  new CommandFailed({
    message: `Invalid service URL: ${candidate.url}${provenance(candidate)}`,
    hint: candidate.source === "env-file"
      ? `Mend ${variable} in ${candidate.file}, or name the service with --url.`
      : "Name the service with --url, for example --url http://localhost:7777."
  })

/** An address that did not respond, or whose service is not ready, with the reason. */
interface Missed {
  readonly candidate: Candidate
  readonly reason: string
  readonly responds: boolean
}

const notReady = ({ candidate, reason }: Missed) =>
  new CommandFailed({
    message: `The service at ${candidate.url}${provenance(candidate)} is not ready: ${reason}`,
    hint: `Try again when ${candidate.url}/ready responds with 200.`
  })

/** With several addresses the reasons are left out; with one it is shown. */
const absent = (missed: ReadonlyArray<Missed>) => {
  const responding = missed.find(({ responds }) => responds)
  if (responding !== undefined) return notReady(responding)
  const tried = missed.map(({ candidate }) => candidate)
  const reason = missed.length === 1 ? `: ${missed[0]?.reason}` : ""
  const file = tried.find(({ source }) => source === "env-file")?.file
  const project = tried.find(({ file, source }) => source === "default" && file !== null)
  return new CommandFailed({
    message: `No running service found (tried: ${
      tried.map((candidate) => `${candidate.url}${provenance(candidate)}`).join(", ")
    })${reason}`,
    hint: project !== undefined
      ? `Start it in this folder, such as with npm start, or name another service with --url or ${variable}.`
      : file === undefined
      ? `Start it, or say where it is: with --url, ${variable}, or ${variable} in .env.production or .env.`
      : `Start it, mend ${variable} in ${file}, or name another service with --url.`
  })
}

const describe = Effect.fn("Discovery.describe")(function*(candidate: Candidate) {
  if (isMalformed(candidate.url)) return yield* malformed(candidate)
  const found = yield* Effect.result(
    Service.probe(candidate.url, { describedOnly: candidate.source === "client-config" })
  )
  return Result.mapBoth(found, {
    onFailure: ({ _tag, reason }): Missed => ({ candidate, reason, responds: _tag === "NotReady" }),
    onSuccess: (service): Descriptor => ({
      ...service,
      url_source: candidate.source,
      url_source_file: candidate.file
    })
  })
})

const firstOf = Effect.fnUntraced(function*(tried: ReadonlyArray<Candidate>) {
  const missed: Array<Missed> = []
  for (const candidate of tried) {
    const found = yield* describe(candidate)
    if (Result.isSuccess(found)) return Result.succeed(found.success)
    missed.push(found.failure)
  }
  return Result.fail(missed)
})

/** How long a service is waited for that responds and is starting. */
const attempts = 30
const pause = "1 second"

/**
 * The first service that responds, of `--url`, the environment, an env file, and the port of the project or the usual
 * ones.
 */
export const find = Effect.fn("Discovery.find")(function*(url: string | undefined) {
  const output = yield* Output
  const tried = ofFirstSource(yield* candidates(url))
  return yield* output.progress("Looking for a service", (say) =>
    Effect.gen(function*() {
      let found = yield* firstOf(tried)
      for (let attempt = 0; attempt < attempts && Result.isFailure(found); attempt++) {
        const starting = found.failure.find(({ responds }) => responds)
        if (starting === undefined) break
        const text = `The service at ${starting.candidate.url} is starting: waiting until it is ready`
        yield* attempt === 0 ? output.note(text) : say(text)
        yield* Effect.sleep(pause)
        found = yield* firstOf(tried)
      }
      if (Result.isSuccess(found)) return found.success
      return yield* absent(found.failure)
    }))
})

/** All addresses that respond and all that do not; `more` are addresses from configs of clients. */
const findAll = Effect.fn("Discovery.findAll")(function*(
  url: string | undefined,
  more: ReadonlyArray<Candidate>
) {
  const output = yield* Output
  const known = yield* candidates(url)
  const stands = known[0]?.source === "flag" || known[0]?.source === "env"
  const tried = stands ? known : distinct([...known, ...more])
  const found = yield* output.waiting("Looking for services", Effect.forEach(tried, describe))
  return { live: Arr.getSuccesses(found), missed: Arr.getFailures(found) }
})

const rowOf = (descriptor: Descriptor, width: number): string => {
  const where = isLoopback(descriptor.url) ? "local " : "remote"
  const name = descriptor.name === null ? "" : `  "${onOneLine(descriptor.name)}"`
  return `${descriptor.url.padEnd(width)}  ${where}${name}${
    provenance({ file: descriptor.url_source_file, source: descriptor.url_source })
  }`
}

/** The service that the user means: the only one, or the selected one. A script gets the result of `find`. */
export const choose = Effect.fn("Discovery.choose")(function*(
  url: string | undefined,
  more: ReadonlyArray<Candidate>,
  verb: "Connect to" | "Disconnect from"
) {
  const prompts = yield* Prompts
  const output = yield* Output
  if (!(yield* prompts.isInteractive)) return yield* find(url)
  const { live, missed } = yield* findAll(url, more)
  const [first] = live
  if (first === undefined) return yield* absent(missed)
  const silent = missed.find(({ candidate }) => candidate.source === "env-file")
  if (silent !== undefined) {
    const { candidate, reason } = silent
    yield* output.warn(`${candidate.url}${provenance(candidate)} did not respond: ${reason}`)
  }
  if (live.length === 1) return first
  const width = Math.max(...live.map(({ url }) => url.length))
  return yield* prompts.select(
    verb,
    live.map((descriptor) => ({ title: rowOf(descriptor, width), value: descriptor, name: descriptor.url }))
  )
})
