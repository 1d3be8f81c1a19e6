// Why a run is not started, as an error of the wire, by the tag of the domain error. Sockets and MCP show its `detail`.
import { Errors } from "@svc/api"
import type {
  ComponentNotFound,
  InvalidInput,
  ReservedUserId,
  RunExists,
  SessionBusy,
  SessionNotFound,
  StorageUnavailable,
  TooManyRuns
} from "@svc/runtime"
import { Effect } from "effect"
import { sessionBusy, sessionNotFound, storageUnavailable, tooManyRuns } from "../WireErrors.ts"
import { factoryErrors } from "./factoryErrors.ts"

const problemsOf = ({ isJson, issues }: InvalidInput) =>
  issues.map(({ message, path }) => ({
    loc: ["body", "message", ...path],
    msg: message,
    type: isJson ? "value_error" : "json_invalid"
  }))

export const startErrors = {
  ...factoryErrors,
  ComponentNotFound: (error: ComponentNotFound) => Effect.fail(Errors.notFound(error.message)),
  InvalidInput: (error: InvalidInput) => Effect.fail(Errors.invalid(problemsOf(error))),
  ReservedUserId: (error: ReservedUserId) => Effect.fail(Errors.forbidden(error.message)),
  RunExists: (error: RunExists) => Effect.fail(Errors.conflict(error.message)),
  SessionBusy: (error: SessionBusy) => Effect.fail(sessionBusy(error)),
  SessionNotFound: (error: SessionNotFound) => Effect.fail(sessionNotFound(error)),
  StorageUnavailable: (error: StorageUnavailable) => Effect.fail(storageUnavailable(error)),
  TooManyRuns: (error: TooManyRuns) => Effect.fail(tooManyRuns(error))
}
