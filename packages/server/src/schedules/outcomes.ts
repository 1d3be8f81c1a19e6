// How an attempt of a schedule ended.
import * as Schedule from "@svc/domain/Schedule"
import { Schema, Struct } from "effect"

/** Characters of a stored text. */
const mostCharacters = 10_000

export const ended = (
  fields: Partial<Schedule.Outcome> & Pick<Schedule.Outcome, "status">
): Schedule.Outcome => ({
  ...Schedule.noOutcome,
  ...fields,
  error: fields.error?.slice(0, mostCharacters).toWellFormed() ?? null
})

export const failed = (error: string, fields: Partial<Schedule.Outcome> = {}): Schedule.Outcome =>
  ended({ ...fields, status: "failed", error })

type WireError = Error & { readonly detail: string }

/** Each class of errors is annotated with its status. */
const statusOf = ({ constructor }: object): number => {
  const status = Schema.isSchema(constructor) ? Schema.resolveAnnotations(constructor)?.["httpApiStatus"] : undefined
  return typeof status === "number" ? status : 500
}

/** The failure with the body that the answer to a request would have. */
export const refused = (error: WireError): Schedule.Outcome =>
  failed(JSON.stringify(Struct.omit({ ...error } as WireError & { readonly _tag?: string }, ["_tag"])), {
    status_code: statusOf(error)
  })
