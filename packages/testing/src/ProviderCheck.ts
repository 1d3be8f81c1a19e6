// Writes the requests of a scripted model for a real provider, with the client that a service uses, and checks them
// with the rules of the provider. Nothing is sent.
import { anyRequests } from "@svc-runtime/models/Model"
import { ModelCatalog, type Options } from "@svc-runtime/models/ModelCatalog"
import { secretName } from "@svc-runtime/models/ProviderSettings"
import { Context, Effect, Layer, Redacted, Semaphore } from "effect"
import type { LanguageModel } from "effect/ai"
import { replayed } from "./internal/replayed.ts"
import * as Refusal from "./wire/Refusal.ts"

export interface Verdict {
  /** What the provider gets, unless its client refuses the request itself. */
  readonly sent: Refusal.ProviderRequest | undefined
  /** Why the provider refuses it. Undefined: it takes it. */
  readonly refusal: string | undefined
}

export type ProviderCheck = (request: LanguageModel.ProviderOptions) => Effect.Effect<Verdict>

const key = Redacted.make("key of a test")

/** Every provider has the settings that it needs. */
const settings: Options = {
  ...Object.fromEntries(Object.keys(secretName).map((name) => [name, key])),
  openaiBaseUrl: "https://provider.test/v1",
  azureResourceName: "test",
  bedrockRegion: "eu-central-1",
  vertexLocation: "eu",
  vertexProject: "test",
  retry: { retries: 0 },
  breaker: { failures: 0 }
}

const isText = (body: unknown): body is string => typeof body === "string"

/** The check of a model by its reference, such as `anthropic:claude-sonnet-4-5`. */
export const make = Effect.fnUntraced(function*(ref: string): Effect.fn.Return<ProviderCheck> {
  const provider = ref.slice(0, ref.indexOf(":"))
  let sent: Refusal.ProviderRequest | undefined
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body = isText(init?.body) ? init.body : "{}"
    sent = { url: input instanceof Request ? input.url : String(input), body: JSON.parse(body), provider }
    return Promise.resolve(new Response("{\"error\":{\"message\":\"not sent\"}}", { status: 400 }))
  }
  const model = yield* Effect.scoped(Layer.build(ModelCatalog.layer({ ...settings, fetch }))).pipe(
    Effect.flatMap((built) => Context.get(built, ModelCatalog).resolve(ref)),
    Effect.map(anyRequests),
    Effect.orDie,
    Effect.cached
  )
  const oneByOne = yield* Semaphore.make(1)
  const check = Effect.fnUntraced(function*(request: LanguageModel.ProviderOptions): Effect.fn.Return<Verdict> {
    sent = undefined
    const failure = yield* Effect.flip((yield* model).generateText(replayed(request))).pipe(Effect.orDie)
    const captured = sent as Refusal.ProviderRequest | undefined
    return {
      sent: captured,
      refusal: captured === undefined ? `The client cannot write it: ${failure.message}` : Refusal.refusalOf(captured)
    }
  })
  return (request) => oneByOne.withPermits(1)(check(request))
})

export const wireOf = ({ sent }: Verdict): string =>
  (sent === undefined ? undefined : Refusal.wireOf(sent.url)) ?? "none"
