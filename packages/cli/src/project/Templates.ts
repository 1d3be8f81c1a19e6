// The templates for projects and their addresses.
import { Effect } from "effect"
import { Environment } from "../Environment.ts"

/** In display order. */
export const names = [
  "agentos-docker",
  "agentos-aws",
  "agentos-azure",
  "agentos-fly",
  "agentos-gcp",
  "agentos-helm",
  "agentos-modal",
  "agentos-railway",
  "agentos-render"
] as const

export const standard = names[0]

export const isTemplate = (name: string): boolean => (names as ReadonlyArray<string>).includes(name)

/** A mirror, or a local folder of repositories. */
export const variable = "PLATFORM_TEMPLATES_URL"
const home = "https://github.com/agno-agi"

export const addressOf = (name: string) =>
  Effect.map(Environment, (environment) => `${(environment.variable(variable) ?? home).replace(/\/+$/, "")}/${name}`)
