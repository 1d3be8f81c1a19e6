// Whether the requests of an agent are made for the caches of providers.
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import * as PromptCache from "@svc-runtime/models/PromptCache"
import { Predicate } from "effect"

export interface CacheOptions {
  /** How long Anthropic keeps what it has cached after each use: `5m` (the default) or `1h`, which costs more. */
  readonly ttl?: PromptCache.Lifetime | undefined
}

export interface Options {
  /**
   * Requests begin with what stays the same, and providers that need marks get them: `auto`, or `{ ttl }`. What changes
   * between runs, such as the time, memories and passages of knowledge, comes directly before the message of the user
   * instead of in the system message, and a limited history slides in larger steps. Default: `off`.
   */
  readonly promptCache?: "auto" | "off" | CacheOptions | undefined
}

const kinds: AuthorOptions.Kinds<keyof CacheOptions> = { ttl: { oneOf: PromptCache.lifetimes } }

export interface Settings {
  /** Undefined: off. */
  readonly promptCache: CacheOptions | undefined
}

const names = ["auto", "off"] as const

export const settings = (owner: string, { promptCache = "off" }: Options): Settings => {
  if (!Predicate.isObject(promptCache)) {
    const name = Validate.oneOf(owner, "promptCache", names, promptCache)
    return { promptCache: name === "auto" ? {} : undefined }
  }
  AuthorOptions.check(`${owner}: promptCache`, promptCache, kinds)
  return { promptCache }
}
