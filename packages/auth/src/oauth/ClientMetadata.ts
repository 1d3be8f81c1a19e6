// The metadata of a client, from its registration (RFC 7591) or from the document that its id names.
import { Effect, Schema } from "effect"
import { type OAuthError, refusal } from "./OAuthError.ts"
import * as RedirectUri from "./RedirectUri.ts"

const maxUris = 20
const maxName = 200

const Texts = Schema.Array(Schema.String)

/** Other members mean nothing here. */
const Metadata = Schema.Struct({
  redirect_uris: Texts,
  client_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String)),
  grant_types: Schema.optionalKey(Schema.NullOr(Texts)),
  response_types: Schema.optionalKey(Schema.NullOr(Texts)),
  scope: Schema.optionalKey(Schema.NullOr(Schema.String)),
  client_id: Schema.optionalKey(Schema.String),
  client_secret: Schema.optionalKey(Schema.Unknown)
})

const decodeMetadata = Schema.decodeUnknownEffect(Metadata)

export interface ClientMetadata {
  readonly client_id: string | undefined
  readonly name: string | null
  readonly redirect_uris: ReadonlyArray<string>
  readonly scope: string | undefined
}

const invalid = (description: string) => Effect.fail(refusal("invalid_client_metadata", description))

export const decode = Effect.fnUntraced(function*(
  given: unknown
): Effect.fn.Return<ClientMetadata, OAuthError> {
  const metadata = yield* Effect.mapError(
    decodeMetadata(given),
    () =>
      refusal("invalid_client_metadata", "The metadata of a client is an object with redirect_uris, a list of texts")
  )
  const { client_id, client_name, grant_types, redirect_uris, response_types, scope } = metadata
  if (redirect_uris.length === 0 || redirect_uris.length > maxUris) {
    return yield* Effect.fail(refusal("invalid_redirect_uri", `A client has 1 to ${maxUris} redirect_uris`))
  }
  if (!redirect_uris.every(RedirectUri.isAllowed)) {
    return yield* Effect.fail(refusal(
      "invalid_redirect_uri",
      "A redirect URI is an https address, an http address on loopback, or has the scheme of an app; without a fragment"
    ))
  }
  if ((metadata.token_endpoint_auth_method ?? "none") !== "none" || metadata.client_secret !== undefined) {
    return yield* invalid("Clients have no secret here: token_endpoint_auth_method has to be none")
  }
  if (grant_types?.includes("authorization_code") === false || response_types?.includes("code") === false) {
    return yield* invalid("Clients use the grant type authorization_code and the response type code")
  }
  if ((client_name?.length ?? 0) > maxName) return yield* invalid(`A client_name has at most ${maxName} characters`)
  if ((scope?.length ?? 0) > 2048) return yield* invalid("A scope has at most 2048 characters")
  return { client_id, name: client_name ?? null, redirect_uris, scope: scope ?? undefined }
})
