// Decodes the rows of several runs one by one: a damaged row does not affect other runs.
import { Effect, Schema } from "effect"

export interface Rejected {
  readonly run_id: string
  readonly rejected: Schema.SchemaError
}

export const isRejected = (row: object): row is Rejected => "rejected" in row

/** A row, or the run whose row does not decode. Fails when the row does not even name its run. */
export const decode = <A extends object>(schema: Schema.Codec<A, unknown>) => {
  const whole = Schema.decodeUnknownEffect(schema)
  const named = Schema.decodeUnknownEffect(Schema.Struct({ run_id: Schema.String }))
  return (row: object): Effect.Effect<A | Rejected, Schema.SchemaError> =>
    Effect.catch(whole(row), (rejected) => Effect.map(named(row), ({ run_id }): Rejected => ({ run_id, rejected })))
}
