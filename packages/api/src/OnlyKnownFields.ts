// Groups beyond the contract refuse unknown fields of a body, because a misspelled field would have no effect.
// Clients of the contract expect that its endpoints ignore unknown fields.
import { Context } from "effect"
import { HttpApi } from "effect/http-api"

export const onlyKnownFields = Context.make(HttpApi.PayloadParseOptions, {
  errors: "all",
  onExcessProperty: "error"
})
