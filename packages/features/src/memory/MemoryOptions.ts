// The option `memory` of agents and teams.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"

export interface MemoryOptions {
  /**
   * When a run updates the memories of its user: `background` (the default) in a job after the run, `inline` before its
   * end, `off` never.
   */
  readonly update?: "background" | "inline" | "off" | undefined
  /** The model gets tools to remember, change, forget and recall. Default: false. */
  readonly tools?: boolean | undefined
  /** Show the model what is known about the user. Default: true. */
  readonly context?: boolean | undefined
  /** The maximum that it is shown. Default: 2000. */
  readonly contextTokens?: number | undefined
  /** The model that reads the run. Default: that of the agent. */
  readonly model?: ModelRef | undefined
  /** What is worth remembering, for that model. */
  readonly instructions?: string | undefined
}

const updates = ["background", "inline", "off"] as const

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof MemoryOptions> = {
  update: { oneOf: updates },
  tools: "flag",
  context: "flag",
  contextTokens: "any",
  model: "any",
  instructions: "text"
}

export interface MemorySettings {
  readonly update: "background" | "inline" | "off"
  readonly tools: boolean
  readonly context: boolean
  readonly contextTokens: number
  readonly model: ModelRef | undefined
  readonly instructions: string | undefined
}

/** Jobs keep them. */
const maxInstructionsLength = 10_000

export const make = (owner: string, option: boolean | MemoryOptions): MemorySettings | undefined => {
  if (option === false) return undefined
  const options = option === true ? {} : option
  const { context = true, contextTokens = 2000, instructions, model, tools = false, update = "background" } = options
  if (instructions !== undefined && instructions.length > maxInstructionsLength) {
    throw new Mistake(`${owner}: memory.instructions has more than ${maxInstructionsLength} characters`)
  }
  Validate.wholeNumber(owner, "memory.contextTokens", 1, contextTokens)
  return { update, tools, context, contextTokens, model: Validate.model(owner, "memory.model", model), instructions }
}
