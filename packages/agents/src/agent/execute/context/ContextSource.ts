// What the model is shown in the system message beside the settings of its agent: a section from each source. Sources
// are read at each start of a run, also when it is continued or resumed. What they show is never stored with the run:
// what was deleted meanwhile is not shown again.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { charactersOf } from "@svc-runtime/domain/Tokens"
import { Cause, Effect } from "effect"

/** The run that a section is for. */
export interface ContextRun {
  readonly user_id: Ids.UserId | undefined
  readonly session_id: Session.Id
  /** The message of the user. */
  readonly message: string
}

export interface ContextSource {
  /** For the log. */
  readonly name: string
  /** The maximum size of the section. */
  readonly tokens: number
  /** Undefined: nothing to show. */
  readonly section: (run: ContextRun) => Effect.Effect<string | undefined, StorageUnavailable>
}

/** A source that does not answer must not hold up the run. */
const timeout = "5 seconds"

const read = (source: ContextSource, run: ContextRun) =>
  source.section(run).pipe(
    Effect.timeout(timeout),
    Effect.map((text) => text === undefined ? [] : [text.slice(0, charactersOf(source.tokens)).toWellFormed()]),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning(`A run starts without the context of ${source.name}`, cause), [])
    )
  )

/** The sections in the order of their sources. A source that fails is left out. */
export const sections = (
  sources: ReadonlyArray<ContextSource>,
  run: ContextRun
): Effect.Effect<ReadonlyArray<string>> =>
  sources.length === 0
    ? Effect.succeed([])
    : Effect.map(Effect.forEach(sources, (source) => read(source, run), { concurrency: "unbounded" }), (all) =>
      all.flat())

/** A text of a user as data: it cannot close the block that it stands in. */
export const asData = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("<", "&lt;").trim()
