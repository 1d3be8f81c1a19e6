// The addresses where a service may be, by priority, each with where it comes from: `--url`, the environment, an env file
// of the working directory, and the usual ports of this machine.
import { Array as Arr, Effect, FileSystem, Option, Path } from "effect"
import { keyOf, trimmed } from "./Address.ts"
import { valueIn } from "./EnvFile.ts"
import { Environment } from "./Environment.ts"

export type Source = "flag" | "env" | "env-file" | "client-config" | "default"

export interface Candidate {
  readonly url: string
  readonly source: Source
  /** The env file, or the names of the clients whose configs hold the address. */
  readonly file: string | null
}

export const variable = "PLATFORM_URL"
export const envFiles = [".env.production", ".env"]
const usual = [7777, 7778, 7779, 8000].map((port) => `http://localhost:${port}`)

/** What people are told about where an address comes from; nothing for a flag and for the usual ports. */
export const provenance = ({ file, source }: Pick<Candidate, "file" | "source">): string => {
  switch (source) {
    case "env":
      return ` (from ${variable})`
    case "env-file":
      return ` (from ${variable} in ${file})`
    case "client-config":
      return ` (configured in ${file})`
    case "flag":
    case "default":
      return ""
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The first env file that says an address. One that cannot be read is not there. */
const fromEnvFiles = Effect.fnUntraced(function*() {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  for (const file of envFiles) {
    const text = yield* Effect.option(
      Effect.flatMap(files.readFile(path.join(cwd, file)), (bytes) => Effect.try(() => decoder.decode(bytes)))
    )
    const url = Option.match(text, { onNone: () => "", onSome: (text) => trimmed(valueIn(text, variable)) })
    if (url !== "") return Option.some<Candidate>({ url, source: "env-file", file })
  }
  return Option.none<Candidate>()
})

/** Of two spellings of one address the first is kept. */
export const distinct = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  Arr.dedupeWith(candidates, (a, b) => keyOf(a.url) === keyOf(b.url))

/** All of them. `--url` and the environment stand alone. */
export const candidates = Effect.fn("Candidates.candidates")(function*(given: string | undefined) {
  const flag = trimmed(given ?? "")
  if (flag !== "") return [{ url: flag, source: "flag", file: null }] satisfies ReadonlyArray<Candidate>
  const environment = trimmed((yield* Environment).variable(variable) ?? "")
  if (environment !== "") {
    return [{ url: environment, source: "env", file: null }] satisfies ReadonlyArray<Candidate>
  }
  return distinct([
    ...Option.toArray(yield* fromEnvFiles()),
    ...usual.map((url): Candidate => ({ url, source: "default", file: null }))
  ])
})

/** Those of the highest source that there is: what a script means when it says nothing else. */
export const ofFirstSource = (all: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  all.filter(({ source }) => source === all[0]?.source)
