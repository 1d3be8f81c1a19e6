// Where an answer begins again. A run that is resumed in the middle of an answer asks the model again: the text since
// the last finished request is void. Each wire that shows text follows this rule.
import type * as RunEvent from "./RunEvent.ts"

const plain = (kind: RunEvent.Kind): string => kind.startsWith("Team") ? kind.slice("Team".length) : kind

/** For the events of a stream in their order, also of runs inside: whether the text of the event's run is void. */
export const make = (): (event: RunEvent.RunEvent) => boolean => {
  const answering = new Set<string>()
  return (event) => {
    const { run_id } = event
    switch (plain(event.event)) {
      case "RunContent":
        if ("content" in event && event.content !== "") answering.add(run_id)
        return false
      case "RunContinued":
        return answering.delete(run_id)
      case "ModelRequestCompleted":
      case "RunCompleted":
      case "RunPaused":
        answering.delete(run_id)
        return false
      default:
        return false
    }
  }
}
