// The files of a session over the API. Those of a session of another user are not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import type * as Session from "@svc-runtime/domain/Session"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as EntityTag from "@svc-runtime/http/wire/EntityTag"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { LargestQuota } from "./LargestQuota.ts"
import * as SessionFiles from "./SessionFiles.ts"
import { Workspace as Endpoints } from "./WorkspaceApi.ts"
import type * as WorkspaceFile from "./WorkspaceFile.ts"

const noSession = (id: Session.Id) => Errors.notFound(`Session with id '${id}' not found`)
const noFile = (path: string) => Errors.notFound(`File '${path.slice(0, 500)}' not found`)

const checked = (path: string, bytes: number) =>
  Effect.mapError(SessionFiles.checkFile(path, bytes), ({ message }) => Errors.badRequest(message))

/** What an agent wrote is never a page of the service: browsers save it. */
const guards = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "content-disposition": "attachment",
  "cache-control": "private, no-cache"
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const bytesOf = ({ content, encoding = "utf-8" }: typeof WorkspaceFile.Input.Type) => {
  if (encoding === "utf-8") return Effect.succeed(new TextEncoder().encode(content))
  return base64.test(content)
    ? Effect.succeed(new Uint8Array(Buffer.from(content, "base64")))
    : Effect.fail(Errors.badRequest("The content is no base64. Encode it with padding, without line breaks"))
}

export const Workspace = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)
    const quota = yield* LargestQuota

    return handlers.handleAll({
      list: Effect.fn("Workspace.list")(function*({ params: { session_id }, query }) {
        const { workspaces } = yield* choose(query)
        const found = yield* workspaces.state(session_id, yield* RequestCaller.ownerOf(query.user_id))
        if (Option.isNone(found)) return yield* noSession(session_id)
        const { files } = found.value
        return JsonResponse.of({ files, total_size: files.reduce((sum, { size }) => sum + size, 0) })
      }, orUnavailable),
      get: Effect.fn("Workspace.get")(function*({ params: { file_path: path, session_id }, query }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const { workspaces } = yield* choose(query)
        yield* checked(path, 0)
        const found = yield* workspaces.read(session_id, path, yield* RequestCaller.ownerOf(query.user_id))
        if (Option.isNone(found)) return yield* noFile(path)
        const { content, hash } = found.value
        const lasting = { ...guards, etag: `"${hash}"` }
        return EntityTag.isKnown(headers, lasting.etag)
          ? HttpServerResponse.empty({ status: 304, headers: lasting })
          : HttpServerResponse.uint8Array(content, { contentType: "application/octet-stream", headers: lasting })
      }, orUnavailable),
      put: Effect.fn("Workspace.put")(function*({ params: { file_path: path, session_id }, payload, query }) {
        const { workspaces } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const content = yield* bytesOf(payload)
        yield* checked(path, content.length)
        const at = yield* now
        const before = payload.executable === undefined
          ? yield* workspaces.read(session_id, path, owner)
          : Option.none()
        const executable = payload.executable ?? (Option.isSome(before) && before.value.executable)
        const file = { path, content, hash: SessionFiles.hashOf(content), executable }
        const saved = yield* Effect.catchTag(
          workspaces.save(session_id, { files: [file], removed: [], at }, quota, owner),
          "WorkspaceFull",
          ({ message }) => Effect.fail(Errors.conflict(message))
        )
        if (Option.isNone(saved)) return yield* noSession(session_id)
        return { path, size: content.length, hash: file.hash, executable, updated_at: at }
      }, orUnavailable),
      remove: Effect.fn("Workspace.remove")(function*({ params: { file_path: path, session_id }, query }) {
        const { workspaces } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        yield* checked(path, 0)
        const found = yield* workspaces.read(session_id, path, owner)
        if (Option.isNone(found)) return yield* noFile(path)
        yield* workspaces.save(
          session_id,
          { files: [], removed: [path], at: yield* now },
          quota,
          owner
        )
          .pipe(Effect.catchTag("WorkspaceFull", Effect.die))
      }, orUnavailable)
    })
  })
)
