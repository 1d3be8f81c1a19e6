// The services for routes that an application adds.
import type { CurrentPrincipal } from "@svc-runtime/api"
import type { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import type { ServerSettings } from "@svc-runtime/http/Settings"
import type { FileSystem, Path } from "effect"
import type { Etag, HttpPlatform, HttpRouter } from "effect/http"

/** An authorized caller among them, as the service's own routes have. */
export type OuterMiddleware =
  | HttpRouter.HttpRouter
  | HttpRouter.Request<"Requires" | "GlobalRequires", CurrentPrincipal>
  | HttpRouter.Request<"Error" | "GlobalError", unknown>
  | Etag.Generator
  | FileSystem.FileSystem
  | HttpPlatform.HttpPlatform
  | Path.Path
  | ServerSettings
  | AccessControl
