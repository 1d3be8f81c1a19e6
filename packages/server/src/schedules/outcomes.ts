// How an attempt of a schedule ended.
import type * as Schedule from "@svc/domain/Schedule"
import { Schema, Struct } from "effect"

const empty = {
  status_code: null,
  run_id: null,
  session_id: null,
  error: null,
  input: null,
  output: null,
  requirements: null
} as const

/** Characters of a stored text. */
const mostCharacters = 10_000

export const ended = (
  fields: Partial<Schedule.Outcome> & Pick<Schedule.Outcome, "status">
): Schedule.Outcome => ({
  ...empty,
  ...fields,
  error: fields.error?.slice(0, mostCharacters).toWellFormed() ?? null
})

export const failed = (error: string, fields: Partial<Schedule.Outcome> = {}): Schedule.Outcome =>
  ended({ ...fields, status: "failed", error })

type WireError = Error & { readonly detail: string }

/** Each class of errors names its status. */
const statusOf = ({ constructor }: object): number => {
  const status = Schema.isSchema(constructor) ? Schema.resolveAnnotations(constructor)?.["httpApiStatus"] : undefined
  return typeof status === "number" ? status : 500
}

/** As the answer to a request has it. */
export const refused = (error: WireError): Schedule.Outcome =>
  failed(JSON.stringify(Struct.omit({ ...error } as WireError & { readonly _tag?: string }, ["_tag"])), {
    status_code: statusOf(error)
  })
