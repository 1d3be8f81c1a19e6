// The option `learning` of agents and teams.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import * as LearningShape from "./LearningShape.ts"

export type Mode = "agentic" | "always" | "propose"

export interface Options {
  /** What is learned. Default: all types; with `propose`, `decision_log` and `learned_knowledge`. */
  readonly types?: ReadonlyArray<LearningShape.Type> | undefined
  /**
   * `agentic` (the default): the model saves and searches learnings with tools. `always`: a background job reads each
   * run after its end. `propose`: what is saved is used only after a person has approved it. Several are a list.
   */
  readonly mode?: Mode | ReadonlyArray<Mode> | undefined
  /**
   * Whose entities, decisions and knowledge they are: `user` (the default) for the user of the run, `global` or another
   * name for all agents and users with this namespace. Profile and memories are always the user's.
   */
  readonly namespace?: string | undefined
  /** Tokens of learnings in the system message, approximately. 0: none. Default: 1000. */
  readonly contextTokens?: number | undefined
  /** The model that reads runs, with `always`. Default: that of the agent. */
  readonly model?: ModelRef | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof Options> = {
  types: "list",
  mode: "texts",
  namespace: "text",
  contextTokens: "any",
  model: "any"
}

export interface Learning {
  readonly types: ReadonlyArray<LearningShape.Type>
  readonly hasTools: boolean
  /** A job reads each run. */
  readonly isAlways: boolean
  readonly isProposed: boolean
  readonly namespace: string
  readonly contextTokens: number
  readonly model: ModelRef | undefined
}

/** What decides whose learnings a run reads and writes. */
export type Reach = Pick<Learning, "isProposed" | "namespace" | "types">

const modes: ReadonlyArray<Mode> = ["agentic", "always", "propose"]

/** The types that have a record for each learning, so that one can be approved by itself. */
const proposable: ReadonlyArray<LearningShape.Type> = ["decision_log", "learned_knowledge"]

const namespaceRule = /^[A-Za-z0-9._-]{1,64}$/

export const make = (owner: string, options: Options | true): Learning => {
  const { mode = "agentic", model, namespace = "user", ...given } = options === true ? {} : options
  const chosen: ReadonlyArray<Mode> = typeof mode === "string" ? [mode] : mode
  const isProposed = chosen.includes("propose")
  const types = given.types ?? (isProposed ? proposable : LearningShape.types)
  for (const type of types) Validate.oneOf(owner, "learning.types", LearningShape.types, type)
  if (chosen.length === 0) throw new Mistake(`${owner}: learning needs a mode`)
  for (const one of chosen) Validate.oneOf(owner, "learning.mode", modes, one)
  const refused = isProposed ? types.find((type) => !proposable.includes(type)) : undefined
  if (refused !== undefined) {
    throw new Mistake(`${owner}: learning cannot propose the type '${refused}', only ${proposable.join(" and ")}`)
  }
  if (!namespaceRule.test(namespace)) {
    throw new Mistake(
      `${owner}: the namespace '${namespace}' of learning needs letters, digits, '.', '_' and '-', at most 64`
    )
  }
  return {
    types: [...new Set(types)],
    hasTools: chosen.includes("agentic") || !chosen.includes("always"),
    isAlways: chosen.includes("always"),
    isProposed,
    namespace,
    contextTokens: Validate.wholeNumber(owner, "learning.contextTokens", 0, given.contextTokens ?? 1000),
    model: Validate.model(owner, "learning.model", model)
  }
}
