// Stores what the authorization server issued: clients, requests that wait for consent, and grants with their tokens.
// Secrets are stored as hashes. Each method is atomic, because several nodes can get the same request at once.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"

/** A program that registered itself. */
export interface Client {
  readonly id: string
  readonly name: string | null
  readonly redirect_uris: ReadonlyArray<string>
  readonly created_at: Time.EpochSeconds
}

/** A request of a client that waits for a person. */
export interface AuthorizationRequest {
  readonly id_hash: string
  readonly client_id: string
  readonly client_name: string | null
  readonly redirect_uri: string
  readonly state: string | null
  /** What the client requests. */
  readonly scopes: ReadonlyArray<string>
  readonly code_challenge: string
  readonly expires_at: Time.EpochSeconds
}

/** What a person gave to a client: all tokens that follow from one consent. */
export interface Grant {
  readonly id: string
  readonly client_id: string
  readonly user_id: Ids.UserId
  /** Of the service account that gave it. The grant ends with the account. */
  readonly account_hash: string | null
  readonly scopes: ReadonlyArray<string>
  readonly created_at: Time.EpochSeconds
  readonly expires_at: Time.EpochSeconds
  readonly revoked_at: Time.EpochSeconds | null
}

/** The code with which the client fetches the first tokens of a grant. */
export interface Code {
  readonly code_hash: string
  readonly code_challenge: string
  readonly redirect_uri: string
  readonly code_expires_at: Time.EpochSeconds
  readonly code_used_at: Time.EpochSeconds | null
}

export interface Token {
  readonly token_hash: string
  readonly kind: "access" | "refresh"
  readonly expires_at: Time.EpochSeconds
  /** When a refresh token was replaced. */
  readonly used_at: Time.EpochSeconds | null
}

type NewToken = Omit<Token, "used_at">

/** Of what waits for a person. Anybody can add to it. */
export interface WaitingLimits {
  readonly pending: number
  /** From one address. */
  readonly ofAddress: number
  /** A hash, for comparing. */
  readonly address_hash: string
  readonly now: Time.EpochSeconds
}

export interface ClientLimits extends WaitingLimits {
  readonly expires_at: Time.EpochSeconds
  /** A client that registered until then, and has no request that waits, makes room for a new one. */
  readonly unusedSince: Time.EpochSeconds
}

export class OAuthStore extends Context.Service<OAuthStore, {
  /**
   * False if `pending` clients, or `ofAddress` of the address, wait for their first consent and none can be removed. An
   * unused one is removed: of an address with `ofAddress`, otherwise of the address with the most. A client without
   * consent is removed at `expires_at`.
   */
  readonly insertClient: (client: Client, limits: ClientLimits) => Effect.Effect<boolean, StorageUnavailable>
  readonly findClient: (id: string, now: Time.EpochSeconds) => Effect.Effect<Option.Option<Client>, StorageUnavailable>
  /** False if `pending` requests, or `ofAddress` of the address, wait. */
  readonly insertRequest: (
    request: AuthorizationRequest,
    limits: WaitingLimits
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly findRequest: (
    id_hash: string,
    now: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<AuthorizationRequest>, StorageUnavailable>
  /** Ends a request without a grant. False if it does not wait any more. */
  readonly removeRequest: (id_hash: string, now: Time.EpochSeconds) => Effect.Effect<boolean, StorageUnavailable>
  /** Replaces a request by a grant, and keeps its client. False if the request does not wait any more. */
  readonly approve: (
    id_hash: string,
    grant: Grant & Code,
    now: Time.EpochSeconds
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly findByCode: (code_hash: string) => Effect.Effect<Option.Option<Grant & Code>, StorageUnavailable>
  /** Uses a code. False if it was used, has expired, or its grant was revoked. */
  readonly redeem: (
    code_hash: string,
    tokens: ReadonlyArray<NewToken>,
    now: Time.EpochSeconds
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly findToken: (
    token_hash: string
  ) => Effect.Effect<Option.Option<{ readonly token: Token; readonly grant: Grant }>, StorageUnavailable>
  /** Replaces a refresh token. False if it was replaced, has expired, or its grant was revoked. */
  readonly rotate: (
    refresh_hash: string,
    tokens: ReadonlyArray<NewToken>,
    now: Time.EpochSeconds
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends a grant with all of its tokens. False if it was ended before. */
  readonly revoke: (grant_id: string, now: Time.EpochSeconds) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/auth/oauth/OAuthStore") {}
