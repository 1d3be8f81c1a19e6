// Service accounts: who can create one and with which scopes, and what its token authenticates.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Role from "@svc-runtime/domain/Role"
import * as Scope from "@svc-runtime/domain/Scope"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tenant from "@svc-runtime/domain/Tenant"
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { randomUUID, timingSafeEqual } from "node:crypto"
import * as AccountToken from "./AccountToken.ts"
import * as BoundedCache from "./BoundedCache.ts"
import * as FailedAttempts from "./FailedAttempts.ts"
import { Roles } from "./Roles.ts"
import {
  InvalidAccountToken,
  InvalidScopes,
  MintingRejected,
  PrivilegedScopes,
  ScopesNotHeld,
  ServiceAccountNameRetired,
  ServiceAccountNameTaken,
  type ServiceAccountNotFound,
  TenantNotGranted,
  TooManyAttempts
} from "./ServiceAccountErrors.ts"
import { ServiceAccountStore } from "./ServiceAccountStore.ts"

// The scopes and the expiry that a new account can get. The checks are in the order of their errors.
type CreationFailure = TenantNotGranted | InvalidScopes | PrivilegedScopes | MintingRejected | ScopesNotHeld

const secondsPerDay = 86_400

/** Roles in one message. */
const maxShown = 20

const requestedScopes = ({ scopes }: ServiceAccount.Create): ReadonlyArray<string> => [
  ...new Set(
    (scopes ?? ServiceAccount.defaultScopes).map((given) => typeof given === "string" ? given : given.scope)
  )
]

const invalidOf = (
  scopes: ReadonlyArray<string>,
  { adminScope: admin, declaredScopes, resources }: ServiceAccountOptions
): Option.Option<InvalidScopes> => {
  const [declared, ofFeatures] = [new Set(declaredScopes), new Set(resources)]
  const invalid = scopes.flatMap((scope) => {
    const known = Scope.mistaken(scope, admin, declared, ofFeatures)
    return known === undefined ? [] : [{ scope, known }]
  })
  return invalid.length === 0 ? Option.none() : Option.some(
    new InvalidScopes({
      scopes: invalid.map(({ scope }) => scope),
      known: [...new Set(invalid.flatMap(({ known }) => known))]
    })
  )
}

/** Why no account or role in code can have the scope, with the one that is probably meant. */
export const problemOfScope = (
  scope: string,
  { adminScope: admin, declaredScopes, resources }: Pick<
    ServiceAccountOptions,
    "adminScope" | "declaredScopes" | "resources"
  >
): string | undefined => {
  if (/[\s,]/.test(scope)) return `'${scope}' is several scopes in one text. Write each of them as a text of its own`
  const [declared, ofFeatures] = [new Set(declaredScopes), new Set(resources)]
  const known = Scope.mistaken(scope, admin, declared, ofFeatures)
  if (known !== undefined && Scope.hasPartOfId(scope)) {
    return `'${scope}' grants nothing: a '*' stands for a whole id. Write a scope for each id` +
      (known.length === 1 ? `, or '${known[0]}' for all of them` : "")
  }
  const action = scope.slice(scope.lastIndexOf(":"))
  const meant = known?.find((each) => each.endsWith(action)) ?? Scope.meant(scope, admin, declared, ofFeatures) ??
    Misspelling.meant(scope, new Set(known))
  if (known === undefined && meant === undefined) return undefined
  const todo = meant !== undefined
    ? `Did you mean '${meant}'?`
    : known === undefined || known.length === 0
    ? "docs/operate/authorization.md has the scopes"
    : `There are ${known.join(", ")}`
  return `there is no scope '${scope}'. ${todo}`
}

const scopesFor = Effect.fnUntraced(function*(
  caller: Principal.Principal,
  request: ServiceAccount.Create,
  options: ServiceAccountOptions,
  { current }: Roles["Service"]
): Effect.fn.Return<ReadonlyArray<string>, CreationFailure | StorageUnavailable> {
  const { adminScope: admin } = options
  const scopes = requestedScopes(request)
  const invalid = invalidOf(scopes, options)
  if (Option.isSome(invalid)) return yield* invalid.value
  const named = scopes.filter((scope) => Role.nameOf(scope) !== undefined)
  const roles = named.length === 0 ? new Map<string, ReadonlyArray<string>>() : yield* current
  const unknown = named.filter((scope) => !roles.has(Role.nameOf(scope) ?? ""))
  if (unknown.length > 0) {
    return yield* new InvalidScopes({ scopes: unknown, known: [...roles.keys()].slice(0, maxShown).map(Role.scopeOf) })
  }
  /** What a scope grants: for a role, its scopes. */
  const granted = (scope: string) => roles.get(Role.nameOf(scope) ?? "") ?? [scope]
  const privileged = scopes.filter((scope) => granted(scope).some((each) => Scope.isPrivileged(each, admin)))
  if (privileged.length > 0 && request.allow_privileged_scopes !== true) {
    return yield* new PrivilegedScopes({ scopes: privileged })
  }
  if (caller.credential === "open") return yield* new MintingRejected()
  const { grants } = caller
  // an account of no tenant would see the data of all of them
  if (caller.tenant !== undefined || (request.tenant !== undefined && grants?.isAdmin === false)) {
    return yield* new TenantNotGranted()
  }
  // The security key has no scopes because it allows everything.
  // Who has a role can hand it on. Others need all of its scopes.
  const isHeld = (held: Scope.Grants, scope: string) =>
    Scope.covers(held, scope) || granted(scope).every((each) => Scope.covers(held, each))
  const notHeld = grants === undefined ? [] : scopes.filter((scope) => !isHeld(grants, scope))
  return notHeld.length > 0 ? yield* new ScopesNotHeld({ scopes: notHeld }) : scopes
})

const expiryOf = ({ expires_in_days, never_expires }: ServiceAccount.Create, now: number): number | null =>
  never_expires === true ? null : now + (expires_in_days ?? ServiceAccount.defaultDays) * secondsPerDay

export interface ServiceAccountOptions {
  readonly adminScope: string
  /** How long an accepted token is not looked up again. With 0, a revocation takes effect at once on every node. */
  readonly cacheSeconds: number
  /** Scopes of the operator's mappings and routes. They are valid, whatever their action is. */
  readonly declaredScopes?: ReadonlyArray<string>
  /** The resources of the scopes of features. */
  readonly resources?: ReadonlyArray<string>
}

export interface Minted {
  readonly account: ServiceAccount.ServiceAccount
  /** The token is visible only here. */
  readonly token: Redacted.Redacted
}

export interface DeclaredAccount {
  readonly name: string
  readonly token: Redacted.Redacted
  readonly scopes: ReadonlyArray<string>
}

/** An account that acts no longer: it was revoked or removed, or another one gets the name of an expired one. */
export interface AccountEnd {
  readonly user_id: Ids.UserId
  readonly at: Time.EpochSeconds
  /** Shown where something of it ends. */
  readonly reason: string
}

/** What acts for accounts without a request of theirs, and so ends with them. */
export interface EndsWithAccount {
  /** Names it in the log, such as `webhook(s)`. */
  readonly what: string
  /** Returns how many of them ended. It is called again after a failure. */
  readonly end: (ended: AccountEnd) => Effect.Effect<number, StorageUnavailable>
}

/** The credential in the audit of accounts that code declares. */
const code = "code"

/** The cached account of an accepted token. */
interface Accepted {
  readonly id: ServiceAccount.Id
  readonly principal: Effect.Effect<Principal.Principal, StorageUnavailable>
  readonly expires_at: number | null
  readonly verifiedAt: number
}

type Named = Pick<ServiceAccount.ServiceAccount, "name" | "tenant">

/** Seconds during which further uses of an account are not recorded. */
const touchEvery = 60
const maxCached = 2048

/** Seconds for which a verification serves routes that respond while the database does not reply. */
const outageSeconds = 3600

/** The time limit of a look-up for such a route. A lock can make it wait although the database replies. */
const lookUpTimeout = "4 seconds"

/** Seconds for which a verification serves an open stream. A revocation on this node takes effect at once. */
const recheckSeconds = 1

export class ServiceAccounts extends Context.Service<ServiceAccounts, {
  readonly mint: (
    caller: Principal.Principal,
    request: ServiceAccount.Create
  ) => Effect.Effect<
    Minted,
    CreationFailure | ServiceAccountNameTaken | ServiceAccountNameRetired | StorageUnavailable
  >
  readonly list: ServiceAccountStore["Service"]["list"]
  /** From now on it ends with each account. */
  readonly endWithAccounts: (ends: EndsWithAccount) => Effect.Effect<void>
  /** Whether what the user has made may act. False for a service account that was revoked or has expired. */
  readonly isActive: (user_id: Ids.UserId) => Effect.Effect<boolean, StorageUnavailable>
  /** Accounts that the code of the application declares, with tokens of its own. */
  readonly declared: {
    /** Why an account cannot have a scope: a sentence. Undefined if it can. */
    readonly problemOf: (scope: string) => string | undefined
    /** In place of the account `replaced`. A token that was revoked stays revoked: the account has no effect. */
    readonly put: (
      account: DeclaredAccount,
      replaced?: ServiceAccount.Id
    ) => Effect.Effect<ServiceAccount.Id, ServiceAccountNameTaken | StorageUnavailable>
    readonly remove: (id: ServiceAccount.Id) => Effect.Effect<void, StorageUnavailable>
  }
  readonly revoke: (
    caller: Principal.Principal,
    id: ServiceAccount.Id
  ) => Effect.Effect<void, ServiceAccountNotFound | StorageUnavailable>
  /** `address` is the client's address: rejections are counted per address. */
  readonly authenticate: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, InvalidAccountToken | TooManyAttempts | StorageUnavailable>
  /** The same, but while the database does not reply, a verification of the last hour on this node counts. */
  readonly authenticateInOutage: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, InvalidAccountToken | TooManyAttempts | StorageUnavailable>
  /** The principal of an active account, by the hash of its token. */
  readonly findByHash: (token_hash: string) => Effect.Effect<Option.Option<Principal.Principal>, StorageUnavailable>
  /** The same as `authenticate` for the events of an open stream: the result can be a second old. */
  readonly reauthenticate: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, InvalidAccountToken | TooManyAttempts | StorageUnavailable>
}>()("@svc-runtime/auth/ServiceAccounts") {
  static readonly layer = (
    options: ServiceAccountOptions
  ): Layer.Layer<ServiceAccounts, never, Roles | ServiceAccountStore> => Layer.effect(ServiceAccounts, make(options))
}

const seconds = Effect.map(Clock.currentTimeMillis, Time.fromMillis)

/** Users who are no accounts are known to their issuer only. */
export const isActiveIn = (store: ServiceAccountStore["Service"]) => (user_id: Ids.UserId) => {
  const name = ServiceAccount.nameOf(Ids.UserId.make(Tenant.within(user_id)))
  const tenant = Tenant.of(user_id) ?? null
  return name === undefined ? Effect.succeed(true) : Effect.flatMap(seconds, (at) => store.isActive(name, tenant, at))
}

const isSameHash = (left: string, right: string) =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

const isExpired = (expires_at: number | null, now: number) => expires_at !== null && expires_at <= now

const entryOf = (
  caller: Principal.Principal,
  action: ServiceAccount.AuditEntry["action"],
  account_id: ServiceAccount.Id,
  at: number
): ServiceAccount.AuditEntry => ({
  account_id,
  action,
  actor: caller.user_id ?? null,
  credential: caller.credential,
  at
})

const log = (message: string, name: string, { account_id, actor, credential }: ServiceAccount.AuditEntry) =>
  Effect.annotateLogs(Effect.logInfo(message), { account_id, name, actor, credential })

const make = Effect.fnUntraced(function*(options: ServiceAccountOptions) {
  const { cacheSeconds } = options
  const roles = yield* Roles
  const store = yield* ServiceAccountStore
  const failures = yield* FailedAttempts.share()
  const cache = BoundedCache.make<string, Accepted>(maxCached)
  /** The number of revocations on this node: look-ups from before one are not cached after it. */
  let revocations = 0

  const forget = (id: ServiceAccount.Id) =>
    Effect.sync(() => {
      revocations += 1
      for (const [hash, accepted] of cache.entries()) if (accepted.id === id) cache.delete(hash)
    })

  const refuse = Effect.fnUntraced(function*(address: string | undefined) {
    return yield* failures.isTooMany(address, yield* Monotonic.millis)
      ? new TooManyAttempts()
      : new InvalidAccountToken()
  })

  const ending: Array<EndsWithAccount> = []

  const endAllOf = Effect.fnUntraced(function*(account: Named, at: number) {
    const { name } = account
    const user_id = ServiceAccount.userOf(account)
    const reason = `The service account '${name}' was revoked, or has expired`
    const counts = yield* Effect.forEach(
      ending,
      ({ end, what }) => Effect.map(end({ user_id, at, reason }), (count) => count === 0 ? [] : [`${count} ${what}`])
    )
    const ended = counts.flat().join(", ")
    if (ended !== "") yield* Effect.logInfo(`What acted for the service account ${name} has ended: ${ended}`)
  })

  /** Unless an account has the name. Also before a new one has it: nothing may act for it that an earlier one made. */
  const endEarlier = Effect.fnUntraced(function*(account: Named, at: number) {
    if (!(yield* store.isActive(account.name, account.tenant, at))) yield* endAllOf(account, at)
  })

  /** A request neither waits for nor fails with the recording of its use. */
  const touch = ({ id, last_used_at }: ServiceAccount.ServiceAccount, now: number) =>
    last_used_at !== null && now - last_used_at < touchEvery
      ? Effect.void
      : Effect.ignore(store.touch(id, now, now - touchEvery))

  const lookUp = Effect.fnUntraced(function*(hash: string, now: number) {
    const before = revocations
    const found = Option.getOrUndefined(yield* store.findByHash(hash))
    if (found === undefined || !isSameHash(found.token_hash, hash)) return undefined
    if (found.revoked_at !== null || isExpired(found.expires_at, now)) return undefined
    yield* touch(found, now)
    const accepted: Accepted = {
      id: found.id,
      principal: roles.derive(
        found.scopes,
        (grants) =>
          Principal.inTenant(
            Principal.serviceAccount(ServiceAccount.principalOf(found.name), grants),
            found.tenant ?? undefined
          )
      ),
      expires_at: found.expires_at,
      verifiedAt: now
    }
    if (revocations === before) cache.set(hash, accepted)
    return accepted
  })

  /** The result of the last verification, if it is not older than the maximum age in seconds. */
  const known = (hash: string, now: number, maxAge: number) => {
    const found = cache.get(hash)
    return found !== undefined && now < found.verifiedAt + maxAge && !isExpired(found.expires_at, now)
      ? found.principal
      : undefined
  }

  const findByHash = Effect.fnUntraced(function*(hash: string, maxAge: number) {
    const now = yield* seconds
    const principal = known(hash, now, maxAge)
    if (principal !== undefined) return yield* principal
    const accepted = yield* lookUp(hash, now)
    if (accepted !== undefined) return yield* accepted.principal
    cache.delete(hash)
    return undefined
  })

  const verify = Effect.fnUntraced(function*(token: Redacted.Redacted, address: string | undefined, maxAge: number) {
    return (yield* findByHash(AccountToken.hash(token), maxAge)) ?? (yield* refuse(address))
  })

  const lastVerified = Effect.fnUntraced(function*(token: Redacted.Redacted, failure: StorageUnavailable) {
    return yield* known(AccountToken.hash(token), yield* seconds, outageSeconds) ?? failure
  })

  /** Checks active accounts too: one can be revoked before the new one is inserted. */
  const checkName = Effect.fnUntraced(function*({ grants, user_id }: Principal.Principal, name: string) {
    if (grants === undefined || grants.isAdmin) return
    const found = yield* store.nameOfOthers(name, user_id ?? null)
    if (found === "active") return yield* new ServiceAccountNameTaken({ name_taken: name })
    if (found === "revoked") return yield* new ServiceAccountNameRetired({ name_retired: name })
  })

  return ServiceAccounts.of({
    mint: Effect.fn("ServiceAccounts.mint")(function*(caller, request) {
      const scopes = yield* scopesFor(caller, request, options, roles)
      yield* checkName(caller, request.name)
      const token = yield* AccountToken.generate
      const now = yield* seconds
      const account: ServiceAccount.ServiceAccount = {
        id: ServiceAccount.Id.make(randomUUID()),
        name: request.name,
        tenant: request.tenant ?? null,
        user_id: caller.user_id ?? null,
        token_hash: AccountToken.hash(token),
        token_prefix: AccountToken.shown(token),
        scopes,
        created_at: now,
        expires_at: expiryOf(request, now),
        last_used_at: null,
        revoked_at: null,
        created_by: caller.user_id ?? null
      }
      const entry = entryOf(caller, "minted", account.id, now)
      yield* endEarlier(account, now)
      yield* store.insert(account, entry)
      yield* log(`The service account ${account.name} was made`, account.name, entry)
      return { account, token }
    }),
    list: store.list,
    endWithAccounts: (ends) => Effect.sync(() => void ending.push(ends)),
    isActive: isActiveIn(store),
    declared: {
      problemOf: (scope) => problemOfScope(scope, options),
      put: Effect.fn("ServiceAccounts.put")(function*({ name, scopes, token }, replaced) {
        const [now, token_hash] = [yield* seconds, AccountToken.hash(token)]
        const byCode = (action: ServiceAccount.AuditEntry["action"], account_id: ServiceAccount.Id) => ({
          account_id,
          action,
          actor: null,
          credential: code,
          at: now
        })
        const isRemoved = replaced !== undefined &&
          Option.isSome(yield* store.remove(replaced, byCode("revoked", replaced)))
        const found = Option.getOrUndefined(yield* store.findByHash(token_hash))
        if (found !== undefined && found.revoked_at !== null) {
          yield* Effect.logWarning(`The token of the service account ${name} was revoked. Declare another token`)
          return found.id
        }
        const id = isRemoved ? replaced : ServiceAccount.Id.make(randomUUID())
        if (!isRemoved) yield* endEarlier({ name, tenant: null }, now)
        yield* store.insert({
          id,
          name,
          tenant: null,
          user_id: null,
          token_hash,
          token_prefix: AccountToken.shown(token),
          scopes,
          created_at: now,
          expires_at: null,
          last_used_at: null,
          revoked_at: null,
          created_by: null
        }, byCode("minted", id))
        yield* forget(id)
        return id
      }),
      remove: Effect.fn("ServiceAccounts.remove")(function*(id) {
        const entry = { account_id: id, action: "revoked", actor: null, credential: code, at: yield* seconds } as const
        const removed = yield* Effect.ensuring(store.remove(id, entry), forget(id))
        if (Option.isSome(removed)) yield* endEarlier({ name: removed.value, tenant: null }, entry.at)
      })
    },
    revoke: Effect.fn("ServiceAccounts.revoke")(function*(caller, id) {
      const now = yield* seconds
      const entry = entryOf(caller, "revoked", id, now)
      // also after a failure, because the account may be revoked
      const { isNew, name, tenant } = yield* Effect.ensuring(store.revoke(id, now, entry), forget(id))
      if (isNew) yield* log(`The service account ${name} was revoked`, name, entry)
      // a repeated request ends what the first one could not, unless a new account has the name
      yield* endEarlier({ name, tenant }, now)
    }),
    findByHash: (hash) => Effect.map(findByHash(hash, cacheSeconds), Option.fromNullishOr),
    authenticate: (token, address) => verify(token, address, cacheSeconds),
    authenticateInOutage: (token, address) =>
      verify(token, address, cacheSeconds).pipe(
        Effect.timeoutOrElse({
          duration: lookUpTimeout,
          orElse: () => Effect.fail(new StorageUnavailable({ cause: "The look-up of an account took too long" }))
        }),
        Effect.catchTag("StorageUnavailable", (failure) => lastVerified(token, failure))
      ),
    reauthenticate: (token, address) => verify(token, address, Math.max(cacheSeconds, recheckSeconds))
  })
})
