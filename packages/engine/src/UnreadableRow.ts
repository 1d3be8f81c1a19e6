// The defect of a stored row that cannot be decoded. Its data is damaged: no retry helps.
import { Effect, Schema } from "effect"

export class UnreadableRow extends Schema.TaggedError<UnreadableRow>()("UnreadableRow", { message: Schema.String }) {}

const isUnreadable = Schema.is(UnreadableRow)

/** For what replaces the whole row. */
export const orElse = <A, E, R, B>(effect: Effect.Effect<A, E, R>, other: (row: UnreadableRow) => Effect.Effect<B>) =>
  Effect.catchDefect(effect, (defect): Effect.Effect<B> => isUnreadable(defect) ? other(defect) : Effect.die(defect))
