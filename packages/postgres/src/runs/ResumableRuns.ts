// A stored run with its long texts, which it needs to be resumed.
import * as Run from "@svc-runtime/domain/Run"
import { RunUnreadable } from "@svc-runtime/engine/run/RunErrors"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import { bounds, type LargeTextReferences, textOf } from "./LargeTextReferences.ts"
import * as LargeTextRows from "./LargeTextRows.ts"
import * as LargeTexts from "./LargeTexts.ts"

const mebibytes = (characters: number) => `${Math.ceil(characters / 1024 / 1024)} MiB`

/** `maxRestoredRun`: the maximum characters of a run that is read to be resumed. */
export const make = ({ resolve, rows }: LargeTextReferences, maxRestoredRun: number) => {
  const withHistory = <A extends { readonly history: ReadonlyArray<unknown> }>(session: string, begun: A) =>
    Effect.map(
      resolve(session, begun.history, bounds.all),
      (history): A => history === begun.history ? begun : { ...begun, history }
    )

  const whole = Effect.fnUntraced(function*<A extends { readonly history: ReadonlyArray<unknown> }>(
    session: string,
    snapshot: A
  ) {
    const { history } = yield* withHistory(session, snapshot)
    return { ...(yield* resolve(session, { ...snapshot, history: [] }, bounds.all)), history }
  })

  /** A run is resumed only if all of its texts are unchanged. Its history can lack some. */
  const wholeRun = Effect.fnUntraced(function*(stored: RunSnapshot) {
    const { history: _, ...rest } = stored
    const references = new Map(LargeTexts.references(rest).map((each) => [each.hash, each]))
    const shown = yield* withHistory(stored.session_id, stored)
    if (references.size === 0) return shown
    const texts = yield* readOrUnavailable(rows.get(stored.session_id, [...references.values()]), stored)
    for (const [hash] of references) {
      const text = texts.get(hash)
      const isWhole = text !== undefined && (yield* LargeTextRows.nameOf(text)).hash === hash
      if (!isWhole) {
        return yield* new RunUnreadable({ run_id: stored.run_id, reason: "a long text of it is missing or damaged" })
      }
    }
    return { ...LargeTexts.replace(rest, textOf(texts)), history: shown.history }
  })

  /** A run that can be continued lists its damaged texts. */
  const wholeOrDamaged = (session: string, stored: RunSnapshot) =>
    !Run.isContinuable(stored.status) ? whole(session, stored) : Effect.catchTag(
      wholeRun(stored),
      "RunUnreadable",
      ({ reason }) => Effect.map(whole(session, stored), (snapshot) => ({ ...snapshot, damage: reason }))
    )

  const bounded = (stored: RunSnapshot) => {
    const distinct = new Map(LargeTexts.references(stored).map(({ hash, length }) => [hash, length]))
    const length = [...distinct.values()].reduce((sum, each) => sum + each, 0)
    const reason = `its long texts have ${mebibytes(length)}, and MAX_RESTORED_RUN_BYTES allows ${
      mebibytes(maxRestoredRun)
    }`
    return length <= maxRestoredRun ? Effect.void : Effect.fail(new RunUnreadable({ run_id: stored.run_id, reason }))
  }

  return { withHistory, wholeRun, wholeOrDamaged, bounded }
}
