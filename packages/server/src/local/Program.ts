// The local service of this program, which the first run starts. It keeps the process only while something is called,
// and closes when nothing else is left to do.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { LocalOptions, Opened } from "./LocalOptions.ts"
import * as Made from "./Made.ts"

let options: LocalOptions = {}
let opening: Promise<Opened> | undefined

const load = (): Promise<Opened> => import("./LocalProcess.ts").then(({ open }) => open(options, close))

/** The same one until it is closed. */
export const open = (): Promise<Opened> => {
  if (Made.isServing()) {
    const problem =
      "This program serves its components. `run` and `stream` of a component are for programs without a " +
      "service: call the service with its client"
    return Promise.reject(new Error(problem))
  }
  return opening ??= load().catch((error: unknown) => {
    opening = undefined
    throw error
  })
}

/** Closes the service when its runs have ended. The next run starts a new one. */
export const close = (): Promise<void> => {
  const opened = opening
  opening = undefined
  return opened === undefined ? Promise.resolve() : opened.then(({ close }) => close())
}

const kinds: AuthorOptions.Kinds<keyof LocalOptions> = {
  databaseId: "text",
  databases: "list",
  embedder: "any",
  evaluations: "any",
  jobs: "list",
  knowledge: "list",
  limits: "any",
  without: "list",
  dataDir: "text",
  databaseUrl: "text",
  program: "text",
  resumedBy: { oneOf: ["program", "service"] }
}

/** Before the first run. */
export const configure = (given: LocalOptions): void => {
  AuthorOptions.check("Local.configure", given, kinds)
  if (given.program === "") {
    throw new Mistake("Local.configure: program is empty. Give the program a name, or leave it out")
  }
  if (given.dataDir !== undefined && given.databaseUrl !== undefined) {
    throw new Mistake("Local.configure has a dataDir and a databaseUrl. Leave one of them out")
  }
  if (opening !== undefined) throw new Error("The first run has begun: call Local.configure before it")
  options = given
}
