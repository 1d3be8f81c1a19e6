// The possible addresses of a service, by priority and with their source: `--url`, the environment, an env file of the
// working directory, and ports of this machine: that of the service in `.env`, or the usual ones.
import { Array as Arr, Effect, FileSystem, Option, Path } from "effect"
import { Environment } from "../Environment.ts"
import { keyOf, trimmed } from "./Address.ts"
import { valueIn } from "./EnvFile.ts"

export type Source = "flag" | "env" | "env-file" | "client-config" | "default"

export interface Candidate {
  readonly url: string
  readonly source: Source
  /** The env file, or the clients whose configs contain the address. */
  readonly file: string | null
}

export const variable = "PLATFORM_URL"
export const envFiles = [".env.production", ".env"]
const usual = [7777, 7778, 7779, 8000]

/** The file of the settings of a project's service, and the setting of its port. */
const settings = { file: ".env", port: "PORT" }

/** The source of an address as a text; none for a flag and the usual ports. */
export const provenance = ({ file, source }: Pick<Candidate, "file" | "source">): string => {
  switch (source) {
    case "env":
      return ` (from ${variable})`
    case "env-file":
      return ` (from ${variable} in ${file})`
    case "client-config":
      return ` (configured in ${file})`
    case "default":
      return file === null ? "" : ` (from ${settings.port} in ${file})`
    case "flag":
      return ""
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The variable of a file in the working directory. Empty: the file does not set it, or is unreadable. */
const inFile = Effect.fnUntraced(function*(file: string, name: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const text = yield* Effect.option(
    Effect.flatMap(files.readFile(path.join(cwd, file)), (bytes) => Effect.try(() => decoder.decode(bytes)))
  )
  return Option.match(text, { onNone: () => "", onSome: (text) => valueIn(text, name) })
})

/** The first env file with an address. */
const fromEnvFiles = Effect.fnUntraced(function*() {
  for (const file of envFiles) {
    const url = trimmed(yield* inFile(file, variable))
    if (url !== "") return Option.some<Candidate>({ url, source: "env-file", file })
  }
  return Option.none<Candidate>()
})

const local = (port: number, file: string | null): Candidate => ({
  url: `http://localhost:${port}`,
  source: "default",
  file
})

/** Where a project names the port of its service, another service that listens is not the one that is meant. */
const ports = Effect.fnUntraced(function*() {
  const given = yield* inFile(settings.file, settings.port)
  const port = /^\d{1,5}$/.test(given) ? Number(given) : 0
  return port > 0 && port < 65_536 ? [local(port, settings.file)] : usual.map((each) => local(each, null))
})

/** The first of equal addresses is kept. */
export const distinct = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  Arr.dedupeWith(candidates, (a, b) => keyOf(a.url) === keyOf(b.url))

/** All addresses. `--url` and the environment exclude the others. */
export const candidates = Effect.fn("Candidates.candidates")(function*(given: string | undefined) {
  if (given !== undefined && given !== "") {
    return [{ url: trimmed(given), source: "flag", file: null }] satisfies ReadonlyArray<Candidate>
  }
  const environment = trimmed((yield* Environment).variable(variable) ?? "")
  if (environment !== "") {
    return [{ url: environment, source: "env", file: null }] satisfies ReadonlyArray<Candidate>
  }
  return distinct([
    ...Option.toArray(yield* fromEnvFiles()),
    ...(yield* ports())
  ])
})

/** The addresses of the source with the highest priority: the default of scripts. */
export const ofFirstSource = (all: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  all.filter(({ source }) => source === all[0]?.source)
