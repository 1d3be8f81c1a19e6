// Where an answer begins again. A run that is resumed in the middle of an answer asks the model again: the text and the
// reasoning since the last finished request are void. Each wire that shows them follows this rule.
import type * as RunEvent from "./RunEvent.ts"

const plain = (kind: RunEvent.Kind): string => kind.startsWith("Team") ? kind.slice("Team".length) : kind

/** What of the answer is void: its text, or only its reasoning. */
export type Void = "text" | "reasoning"

/** For the events of a stream in their order, also of runs inside: what the event makes void of its run. */
export const make = (): (event: RunEvent.RunEvent) => Void | undefined => {
  const answering = new Map<string, Void>()
  return (event) => {
    const { run_id } = event
    switch (plain(event.event)) {
      case "RunContent":
        if ("content" in event && event.content !== "") answering.set(run_id, "text")
        else if ("reasoning_content" in event && event.reasoning_content !== "" && !answering.has(run_id)) {
          answering.set(run_id, "reasoning")
        }
        return undefined
      case "RunContinued": {
        const found = answering.get(run_id)
        answering.delete(run_id)
        return found
      }
      case "ModelRequestCompleted":
      case "RunCompleted":
      case "RunPaused":
        answering.delete(run_id)
        return undefined
      default:
        return undefined
    }
  }
}
