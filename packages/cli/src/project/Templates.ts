// The templates for projects.
import { Effect } from "effect"
import { Environment } from "../Environment.ts"
import { minimal } from "./BuiltIn.ts"
import type { Source } from "./Project.ts"

/** The templates in display order. */
export const names = [
  "agentos-docker",
  "agentos-aws",
  "agentos-azure",
  "agentos-fly",
  "agentos-gcp",
  "agentos-helm",
  "agentos-modal",
  "agentos-railway",
  "agentos-render",
  minimal,
  "postgres"
] as const

export const standard = names[0]

export const isTemplate = (name: string): boolean => (names as ReadonlyArray<string>).includes(name)

/** An address or a folder of repositories, which are cloned instead of the templates of the tool. */
export const variable = "PLATFORM_TEMPLATES_URL"

export const sourceOf = (template: string): Effect.Effect<Source, never, Environment> =>
  Effect.map(Environment, (environment) => {
    const home = environment.variable(variable)
    return home === undefined
      ? { _tag: "BuiltIn", template }
      : { _tag: "Repository", address: `${home.replace(/(?<!\/)\/+$/, "")}/${template}` }
  })
