import { Schema } from "effect"

/** A field that may be missing, and null means the same. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
