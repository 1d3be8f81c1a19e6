// Requests about contents, and files to upload.
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { textFile } from "../Contents.ts"
import { type Answer, ask, column, list, post } from "../Wire.ts"

export const holidays = textFile("holidays.txt", "Everybody has thirty days of holiday. Ask your lead before you book.")
export const remove = (server: TestServer.TestServer, path: string) => ask(server, path, { method: "DELETE" })

export const searched = (server: TestServer.TestServer, query: string, more: object = {}) =>
  post(server, "/knowledge/search", { query, ...more })

export const textsOf = (answer: Answer) => column(list(answer.json, "data"), "content")
