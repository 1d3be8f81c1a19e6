// Shows one end of a run, whatever breaks behind it. A replay has events behind the end of a run that was continued:
// only the last end is shown.
import type { Encoder } from "./Encoder.ts"
import type { RunPiece } from "./RunPiece.ts"

const isEnd = ({ _tag }: RunPiece): boolean => _tag === "Completed" || _tag === "Failed" || _tag === "Cancelled"

export const of = (encoder: Encoder): Encoder => {
  let held: RunPiece | undefined
  let isPaused = false
  let isOver = false

  const end = (): string => {
    if (isOver) return ""
    isOver = true
    return (held === undefined ? "" : encoder.push(held)) + encoder.end()
  }

  return {
    begin: encoder.begin,
    push: (piece) => {
      held = isEnd(piece) ? piece : undefined
      isPaused = piece._tag === "Paused"
      return isOver || held !== undefined ? "" : encoder.push(piece)
    },
    end,
    isOver: encoder.isOver,
    broken: (reason) => {
      if (isOver || isPaused || held !== undefined) return end()
      isOver = true
      return encoder.broken(reason)
    }
  }
}
