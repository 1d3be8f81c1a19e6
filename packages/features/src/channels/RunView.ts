// What people see of a run while it executes, and at its end.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import type { AnyMedium, RunPiece } from "@svc-runtime/protocols/run/RunPiece"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"

export type End =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Paused"; readonly text: string; readonly questions: ReadonlyArray<Question> }
  | { readonly _tag: "Failed"; readonly message: string; readonly error_id: string | undefined }
  | { readonly _tag: "Cancelled" }

/** A name of a tool as people read it. */
const readable = (name: string): string => name.replaceAll("_", " ")

/** `after`: those before this number of events were shown by an earlier reply. */
export const make = (run_id: string, after: number) => {
  const pieces = RunPieces.make(run_id)
  /** By the number of the answer of the model: the last one is the answer of the run. */
  const texts = new Map<number, string>()
  const calls = new Map<string, string>()
  const media: Array<AnyMedium> = []
  let count = 0
  let segment = -1
  let end: End | undefined

  const show = (piece: RunPiece): void => {
    switch (piece._tag) {
      case "Text":
        segment = piece.segment
        texts.set(segment, (texts.get(segment) ?? "") + piece.delta)
        return
      case "Resumed":
        end = undefined
        if (piece.isVoid) texts.delete(segment)
        return
      case "ToolCallStarted":
        calls.set(piece.id, piece.name)
        return
      case "ToolCallEnded":
        calls.delete(piece.id)
        return
      case "Medium":
        media.push(piece)
        return
      case "Completed":
        end = { _tag: "Completed" }
        return
      case "Paused":
        end = { _tag: "Paused", text: piece.text, questions: piece.questions }
        return
      case "Failed":
        end = { _tag: "Failed", message: piece.message, error_id: piece.error_id }
        return
      case "Cancelled":
        end = { _tag: "Cancelled" }
    }
  }

  return {
    push: (event: RunEvent.RunEvent): void => {
      const shown = pieces.push(event)
      if (count++ >= after) { for (const piece of shown) show(piece) }
    },
    text: (): string => [...texts.values()].map((text) => text.trim()).filter((text) => text !== "").join("\n\n"),
    /** A quiet line about what is done at the moment. */
    status: (): string | undefined => {
      const name = [...calls.values()].at(-1)
      return name === undefined ? undefined : `Using ${readable(name)}…`
    },
    media: (): ReadonlyArray<AnyMedium> => media,
    end: (): End | undefined => end,
    count: (): number => count
  }
}

export type RunView = ReturnType<typeof make>
