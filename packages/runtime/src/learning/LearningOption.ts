// The option `learning` of agents and teams.
import * as LearningChange from "@svc/domain/LearningChange"
import * as Validate from "../usercode/Validate.ts"

export interface Options {
  /** What is learned. Default: all types; with `propose`, `decision_log` and `learned_knowledge`. */
  readonly types?: ReadonlyArray<LearningChange.Type> | undefined
  /**
   * `agentic` (the default): the model saves and searches learnings with tools. `propose`: what it saves is used only
   * after a person has approved it.
   */
  readonly mode?: "agentic" | "propose" | undefined
  /**
   * Whose entities, decisions and knowledge they are: `user` (the default) for the user of the run, `global` or another
   * name for all agents and users with this namespace. Profile and memories are always the user's.
   */
  readonly namespace?: string | undefined
  /** Tokens of learnings in the system message, approximately. 0: none. Default: 1000. */
  readonly contextTokens?: number | undefined
}

export interface Learning {
  readonly types: ReadonlyArray<LearningChange.Type>
  readonly mode: "agentic" | "propose"
  readonly namespace: string
  readonly contextTokens: number
}

/** The types that have a record for each learning, so that one can be approved by itself. */
const proposable: ReadonlyArray<LearningChange.Type> = ["decision_log", "learned_knowledge"]

const namespaceRule = /^[A-Za-z0-9._-]{1,64}$/

export const make = (owner: string, options: Options | true): Learning => {
  const { mode = "agentic", namespace = "user", ...given } = options === true ? {} : options
  const types = given.types ?? (mode === "propose" ? proposable : LearningChange.types)
  const unknown = types.find((type) => !LearningChange.types.includes(type))
  if (unknown !== undefined) throw new Error(`${owner}: learning has no type '${unknown}'`)
  if (mode !== "agentic" && mode !== "propose") throw new Error(`${owner}: learning has no mode '${String(mode)}'`)
  const refused = mode === "propose" ? types.find((type) => !proposable.includes(type)) : undefined
  if (refused !== undefined) {
    throw new Error(`${owner}: learning cannot propose the type '${refused}', only ${proposable.join(" and ")}`)
  }
  if (!namespaceRule.test(namespace)) {
    throw new Error(
      `${owner}: the namespace '${namespace}' of learning needs letters, digits, '.', '_' and '-', at most 64`
    )
  }
  return {
    types: [...new Set(types)],
    mode,
    namespace,
    contextTokens: Validate.wholeNumber(owner, "learning.contextTokens", 0, given.contextTokens ?? 1000)
  }
}
