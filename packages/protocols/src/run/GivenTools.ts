// The tools that a client brings with a request and executes itself.
import { ClientTool } from "@svc-runtime/domain/ClientTool"
import { optional } from "@svc-runtime/domain/schema/optional"
import { Schema } from "effect"

/** What every protocol says of a tool, beside its name. */
export const fields = {
  description: optional(Schema.String),
  parameters: optional(ClientTool.fields.parameters.schema)
}

interface Given extends Schema.Struct.Type<typeof fields> {
  readonly name: string
}

/** Undefined without any. */
export const of = (tools: ReadonlyArray<Given> | null | undefined): ReadonlyArray<ClientTool> | undefined =>
  tools === undefined || tools === null || tools.length === 0
    ? undefined
    : tools.map(({ description, name, parameters }) => ({
      name,
      ...(typeof description === "string" ? { description } : {}),
      ...(parameters === undefined || parameters === null ? {} : { parameters })
    }))
