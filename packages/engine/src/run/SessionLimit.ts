// The limit of a run to its session. Its caller has a token for this session only, so the run neither reads nor changes
// what its user has elsewhere. The limit is stored with the run, and runs inside of it have it, too.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Principal from "@svc-runtime/domain/Principal"
import type { RunSnapshot } from "./store/RunReads.ts"

export interface SessionLimit {
  readonly limited_to_session?: boolean | undefined
}

export const of = ({ limited_to_session }: SessionLimit): SessionLimit => ({ limited_to_session })

/** The limit of what the caller starts. */
export const ofCaller = ({ session_id }: Principal.Principal): SessionLimit => ({
  limited_to_session: session_id !== undefined
})

const stored = { limited_to_session: true } satisfies SessionLimit

/** In the command of a new run, and in the journal entry with which a caller continues one. */
export const encode = ({ limited_to_session }: SessionLimit): typeof stored | undefined =>
  limited_to_session === true ? stored : undefined

const isIn = (json: Json.Object | null): boolean => json?.["limited_to_session"] === true

/** A run is limited if its caller was, or one who has continued it. */
export const ofRun = ({ command, entries }: Pick<RunSnapshot, "command" | "entries">): SessionLimit => ({
  limited_to_session: isIn(command) || entries.some(isIn)
})
