// What an author's tool or step tells those who watch a run, as long as it is at work: a promise that was forgotten must not
// speak in a run that has gone on.
import { CustomEvent, type Json } from "@svc/domain"

export interface Telling {
  /** Throws for what no event can say. */
  readonly emit: (fields: Json.Object) => void
  readonly end: () => void
}

export const make = (tell: (fields: Json.Object & { readonly event: "CustomEvent" }) => void): Telling => {
  let isOver = false
  return {
    emit: (fields) => {
      const problem = CustomEvent.problemOf(fields)
      if (problem !== undefined) throw new Error(`emit: ${problem}`)
      if (!isOver) tell({ ...fields, event: "CustomEvent" })
    },
    end: () => {
      isOver = true
    }
  }
}
