// The local service of this program, which the first run starts. It keeps the process only while something is called,
// and closes when nothing else is left to do.
import * as ComponentMethods from "@svc-runtime/agents/component/ComponentMethods"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { LocalOptions, Opened } from "./LocalOptions.ts"
// it keeps the components from the first one on
import "./Made.ts"

let options: LocalOptions = {}
let opening: Promise<Opened> | undefined

const load = (): Promise<Opened> => import("./LocalProcess.ts").then(({ open }) => open(options, close))

/** A method of a component, as a program calls it. */
export interface Call {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
  readonly method: string
}

/** A second service would have the settings of the environment, and other models than those of a test. */
const refusal = ({ call, client, place, problem }: ComponentMethods.Host, called: Call | undefined): Mistake => {
  if (called === undefined) return new Mistake(`Local.client: ${problem}. Write ${client}`)
  const { id, kind, method } = called
  // a variable often has the name of the id
  const variable = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(id) ? id : kind
  const instead = call(kind, id, method, variable)
  const todo = method.startsWith("continue")
    ? `Write ${instead}`
    : `In a function of a tool or a step write run(${variable}, …) with the run of its context, and ${place} ${instead}`
  return new Mistake(`${ComponentKind.descriptions[kind].label} '${id}': ${problem}. ${todo}`)
}

/** The same one until it is closed. */
export const open = (called?: Call): Promise<Opened> => {
  const host = ComponentMethods.currentHost()
  if (host !== undefined) return Promise.reject(refusal(host, called))
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
  limits: { options: StartLimits.options },
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
