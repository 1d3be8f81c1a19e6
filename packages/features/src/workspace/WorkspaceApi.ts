// The files of a session.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, NotFound, PayloadTooLarge, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as WorkspaceFile from "./WorkspaceFile.ts"

const inSessions = { admitsSessionTokens: true }

const query = { ...owner, db_id: database.db_id }
const session = { session_id: Session.Id }
const file = { ...session, file_path: Schema.String }
const errors = [BadRequest, NotFound, Unavailable] as const

export class Workspace extends HttpApiGroup.make("workspace")
  .add(
    HttpApiEndpoint.get("list", "/sessions/:session_id/workspace", {
      params: session,
      query,
      success: WorkspaceFile.All,
      error: errors
    })
      .annotateMerge(requires("sessions:read", inSessions))
      .annotate(OpenApi.Identifier, "list_workspace_files"),
    HttpApiEndpoint.get("get", "/sessions/:session_id/workspace/:file_path", {
      params: file,
      query,
      success: [Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()), HttpApiSchema.Empty(304)],
      error: errors
    })
      .annotateMerge(requires("sessions:read", inSessions))
      .annotate(OpenApi.Identifier, "get_workspace_file"),
    HttpApiEndpoint.put("put", "/sessions/:session_id/workspace/:file_path", {
      params: file,
      query,
      payload: WorkspaceFile.Input,
      success: WorkspaceFile.Listed,
      error: [...errors, Conflict, PayloadTooLarge]
    })
      .annotateMerge(requires("sessions:write", inSessions))
      .annotate(OpenApi.Identifier, "put_workspace_file"),
    HttpApiEndpoint.delete("remove", "/sessions/:session_id/workspace/:file_path", {
      params: file,
      query,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("sessions:write", inSessions))
      .annotate(OpenApi.Identifier, "delete_workspace_file")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({ title: "Workspace", description: "Files that agents and callers keep in a session" })
  )
{}

const body = { content: "order,amount\n7,50\n" }

export const texts: Texts = {
  operations: {
    list_workspace_files: {
      summary: "List the files of a session",
      description: "Returns all files of the workspace of a session, by their paths."
    },
    get_workspace_file: {
      summary: "Get a file of a session",
      description: "Returns the bytes of a file. Slashes in its path are written as %2F."
    },
    put_workspace_file: {
      method: "put",
      summary: "Store a file in a session",
      description: "Stores a file, or replaces it. Agents with a workspace see it from their next call on.",
      body
    },
    delete_workspace_file: { summary: "Delete a file of a session", description: "Removes a file." }
  },
  fields: {
    file_path: ["Path of the file from the workspace", "report.csv"],
    "WorkspaceFile.path": ["Path of the file from the workspace", "report.csv"],
    "WorkspaceFile.size": ["Bytes of the file", 18],
    "WorkspaceFile.hash": "SHA-256 of the content in hexadecimal",
    "WorkspaceFile.executable": "Whether a command can execute it",
    "Workspace.files": "All files, by their paths",
    "Workspace.total_size": ["Bytes of all files", 18],
    "WorkspaceFileInput.content": ["The content", body.content],
    "WorkspaceFileInput.encoding": "How the content is written. Default: utf-8",
    "WorkspaceFileInput.executable": "Whether a command can execute it. Default: as it was, or false"
  }
}
