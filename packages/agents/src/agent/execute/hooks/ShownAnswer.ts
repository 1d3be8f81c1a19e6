// An answer that is shown while it arrives, through the windows of the guardrails.
import type { Agent } from "../../define/Agent.ts"
import type { ModelText, TextWindow } from "../../define/Hook.ts"
import * as HookStages from "./HookStages.ts"

/** One of the texts of an answer. Each window gets what the one before shows. */
interface ShownText {
  readonly windows: ReadonlyArray<TextWindow>
  text: string
}

export interface ShownAnswer {
  /** For a request that is repeated: nothing of it was shown. */
  readonly restart: () => void
  /** What of a part can be shown. */
  readonly add: (of: keyof ModelText, part: string) => string
  /** What is left to be shown of an answer that the hooks have passed, and all that is shown of it. */
  readonly rest: (passed: ModelText) => { readonly left: ModelText; readonly shown: ModelText }
}

const through = (windows: ReadonlyArray<TextWindow>, part: string): string =>
  windows.reduce((part, window) => part === "" ? "" : window.add(part), part)

/** The rest of each window goes through the windows after it. */
const endOf = (windows: ReadonlyArray<TextWindow>): string =>
  windows.reduce((text, window) => (text === "" ? "" : window.add(text)) + window.end(), "")

/** A mask that is another one each time is the one that was shown. */
const restOf = ({ text, windows }: ShownText, passed: string): string => {
  if (windows.some((window) => window.isBlocked())) return ""
  return passed.startsWith(text) ? passed.slice(text.length) : endOf(windows)
}

/** Undefined: no hook gets the answer, or one needs the whole. */
export const make = (agent: Pick<Agent, "hooks">): ShownAnswer | undefined => {
  if (!HookStages.getsAnswers({ agent }) || HookStages.withholds({ agent })) return undefined
  const begin = (): ShownText => ({
    text: "",
    windows: agent.hooks.flatMap(({ afterModel, shows }) =>
      afterModel !== undefined && typeof shows === "function" ? [shows()] : []
    )
  })
  let texts = { text: begin(), reasoning: begin() }
  return {
    restart: () => {
      texts = { text: begin(), reasoning: begin() }
    },
    add: (of, part) => {
      const shown = through(texts[of].windows, part)
      texts[of].text += shown
      return shown
    },
    rest: (passed) => {
      const left = { text: restOf(texts.text, passed.text), reasoning: restOf(texts.reasoning, passed.reasoning) }
      const shown = { text: texts.text.text + left.text, reasoning: texts.reasoning.text + left.reasoning }
      return { left, shown }
    }
  }
}
