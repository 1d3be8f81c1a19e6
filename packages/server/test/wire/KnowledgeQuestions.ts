// Questions to an agent with knowledge, and the references of its answers.
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { column, list } from "../Wire.ts"

export const searching = (query = "days of holiday") => [
  [Script.toolCall("search_knowledge", { query }, "call-1")],
  [Script.text("Thirty days.")]
]

export const json = (method: string, body: object) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const contentsOf = (run: unknown) =>
  list(run, "references").map((each) => column(list(each, "references"), "content"))
