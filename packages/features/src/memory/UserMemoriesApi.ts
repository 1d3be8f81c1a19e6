// The settings and the removal of the memories that agents have of a user. Isolated callers name themselves only.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Forbidden, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Ids from "@svc-runtime/domain/Ids"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as UserMemory from "./UserMemory.ts"

const params = { user_id: Ids.UserIdInput }
const error = [BadRequest, Forbidden, NotFound, Unavailable] as const

export class UserMemories extends HttpApiGroup.make("userMemories")
  .add(
    HttpApiEndpoint.get("settings", "/users/:user_id/memory-settings", {
      params,
      success: UserMemory.Settings,
      error
    })
      .annotateMerge(requires("memories:read"))
      .annotate(OpenApi.Identifier, "get_user_memory_settings"),
    HttpApiEndpoint.put("configure", "/users/:user_id/memory-settings", {
      params,
      payload: UserMemory.Settings,
      success: UserMemory.Settings,
      error
    })
      .annotateMerge(requires("memories:write"))
      .annotate(OpenApi.Identifier, "update_user_memory_settings"),
    HttpApiEndpoint.delete("remove", "/users/:user_id/memory", {
      params,
      success: UserMemory.Removed,
      error
    })
      .annotateMerge(requires("memories:delete"))
      .annotate(OpenApi.Identifier, "delete_user_memory")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "What agents know about a user" }))
{}

export const texts: Texts = {
  operations: {
    get_user_memory_settings: {
      method: "memorySettings",
      summary: "Get whether agents remember a user",
      description: "Returns whether agents may keep memories of the user."
    },
    update_user_memory_settings: {
      method: "setMemorySettings",
      summary: "Set whether agents remember a user",
      description: "With `enabled: false` agents neither read nor write memories of the user. Stored ones stay.",
      body: { enabled: true }
    },
    delete_user_memory: {
      method: "deleteMemory",
      summary: "Forget a user",
      description: "Removes all that agents remember of the user: memories, learnings, summaries, traces and scores."
    }
  }
}
