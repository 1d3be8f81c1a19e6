// What every `OAuthStore` has to do. Tests share the database: each looks only at what it made itself.
import { assert, layer } from "@effect/vitest"
import { OAuthStore } from "@svc-runtime/auth"
import { Effect, type Layer, Option } from "effect"
import { approved, client, grant, many, now, redeemed, request, tokens } from "./oauth/Grants.ts"
import { awkward, newId } from "./Samples.ts"

const racers = 8

export const suite = <E>(name: string, stores: Layer.Layer<OAuthStore, E>) =>
  layer(stores, { excludeTestServices: true })(`OAuthStore, ${name}`, (it) => {
    it.effect("a client is found as it was stored, until it expires without consent", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const full = client({ name: "a \"name\" <b>", redirect_uris: ["https://a.example/,{}", "http://127.0.0.1/"] })
        const bare = client({ name: null })
        for (const one of [full, bare]) {
          assert.isTrue(yield* store.insertClient(one, many))
          assert.deepStrictEqual(yield* store.findClient(one.id, now), Option.some(one))
        }
        assert.deepStrictEqual(yield* store.findClient(full.id, now + 60), Option.none())
        assert.deepStrictEqual(yield* store.findClient("unknown", now), Option.none())
      }))

    it.effect("a client that a person approved stays", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const one = client()
        yield* store.insertClient(one, many)
        const waiting = request({ client_id: one.id })
        yield* store.insertRequest(waiting, many)
        assert.isTrue(yield* store.approve(waiting.id_hash, grant({ client_id: one.id }), now))
        assert.deepStrictEqual(yield* store.findClient(one.id, now + 1_000_000), Option.some(one))
      }))

    it.effect("no more clients and requests wait than the limit says", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const none = { ...many, pending: 0 }
        const one = client()
        assert.isFalse(yield* store.insertClient(one, none))
        assert.deepStrictEqual(yield* store.findClient(one.id, now), Option.none())
        const waiting = request()
        assert.isFalse(yield* store.insertRequest(waiting, none))
        assert.deepStrictEqual(yield* store.findRequest(waiting.id_hash, now), Option.none())
      }))

    it.effect("no more clients and requests of one address wait than the limit says, also if many come at once", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const limits = { ...many, ofAddress: 3, address_hash: newId("address") }
        const atOnce = { concurrency: "unbounded" } as const
        const all = Array.from({ length: racers })
        const clients = yield* Effect.forEach(all, () => store.insertClient(client(), limits), atOnce)
        assert.lengthOf(clients.filter((isStored) => isStored), 3)
        const requests = yield* Effect.forEach(all, () => store.insertRequest(request(), limits), atOnce)
        assert.lengthOf(requests.filter((isStored) => isStored), 3)
        const other = { ...limits, address_hash: newId("address") }
        assert.isTrue(yield* store.insertClient(client(), other))
        assert.isTrue(yield* store.insertRequest(request(), other))
      }))

    it.effect("the oldest client that was never used makes room for one of the same address", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const limits = { ...many, ofAddress: 3, address_hash: newId("address"), unusedSince: now - 60 }
        const [used, oldest, young] = [
          client({ created_at: now - 300 }),
          client({ created_at: now - 200 }),
          client({ created_at: now - 10 })
        ]
        for (const one of [used, oldest, young]) assert.isTrue(yield* store.insertClient(one, limits))
        yield* store.insertRequest(request({ client_id: used.id }), many)
        assert.isTrue(yield* store.insertClient(client(), limits))
        const found = yield* Effect.forEach([used, oldest, young], ({ id }) => store.findClient(id, now))
        assert.deepStrictEqual(found.map(Option.isSome), [true, false, true])
        assert.isFalse(yield* store.insertClient(client(), limits))
      }))

    it.effect("a request is found as it was stored, until it expires or is removed", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const full = request({ scopes: ["agents:run", "a,b", "{}", "NULL"], state: "a\"b'c" })
        const bare = request({ client_name: null, state: null, scopes: [] })
        for (const one of [full, bare]) {
          yield* store.insertRequest(one, many)
          assert.deepStrictEqual(yield* store.findRequest(one.id_hash, now), Option.some(one))
          assert.deepStrictEqual(yield* store.findRequest(one.id_hash, one.expires_at), Option.none())
          assert.isFalse(yield* store.removeRequest(one.id_hash, one.expires_at))
          assert.isTrue(yield* store.removeRequest(one.id_hash, now))
          assert.isFalse(yield* store.removeRequest(one.id_hash, now))
          assert.isFalse(yield* store.approve(one.id_hash, grant(), now))
        }
      }))

    it.effect("texts that a database cannot store are refused by no method", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        for (const text of awkward) {
          const waiting = request({ client_name: text, state: text })
          assert.isTrue(yield* store.insertRequest(waiting, many))
          assert.deepStrictEqual(yield* store.findRequest(text, now), Option.none())
          assert.deepStrictEqual(yield* store.findToken(text), Option.none())
          assert.deepStrictEqual(yield* store.findByCode(text), Option.none())
        }
      }))

    it.effect("a request is approved once, also by several at the same time", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const waiting = request()
        yield* store.insertRequest(waiting, many)
        const grants = Array.from({ length: racers }, () => grant({ client_id: waiting.client_id }))
        const results = yield* Effect.forEach(grants, (one) => store.approve(waiting.id_hash, one, now), {
          concurrency: "unbounded"
        })
        assert.lengthOf(results.filter((isFirst) => isFirst), 1)
        const found = yield* Effect.forEach(grants, ({ code_hash }) => store.findByCode(code_hash))
        assert.deepStrictEqual(found.flatMap(Option.toArray), [grants[results.indexOf(true)]!])
      }))

    it.effect("a code is used once, also by several at the same time", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const made = yield* approved()
        const results = yield* Effect.forEach(
          Array.from({ length: racers }, tokens),
          (given) => store.redeem(made.code_hash, given, now),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(results.filter((isFirst) => isFirst), 1)
        assert.strictEqual(Option.getOrThrow(yield* store.findByCode(made.code_hash)).code_used_at, now)
      }))

    it.effect("a code is not used after it expired or its grant was revoked", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const late = yield* approved()
        assert.isFalse(yield* store.redeem(late.code_hash, tokens(), late.code_expires_at))
        const revoked = yield* approved()
        yield* store.revoke(revoked.id, now)
        assert.isFalse(yield* store.redeem(revoked.code_hash, tokens(), now))
        assert.isFalse(yield* store.redeem("unknown", tokens(), now))
      }))

    it.effect("a token is found with its grant, which lasts as long as its tokens", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const { access, grant: made, refresh } = yield* redeemed()
        const { id, client_id, user_id, account_hash, scopes, created_at, revoked_at } = made
        const stored = { id, client_id, user_id, account_hash, scopes, created_at, revoked_at }
        for (const token of [access, refresh]) {
          assert.deepStrictEqual(
            Option.map(yield* store.findToken(token.token_hash), ({ grant: { id, client_id, ...rest }, token }) => ({
              token,
              grant: {
                id,
                client_id,
                user_id: rest.user_id,
                account_hash: rest.account_hash,
                scopes: rest.scopes,
                created_at: rest.created_at,
                revoked_at: rest.revoked_at
              },
              expires_at: rest.expires_at
            })),
            Option.some({ token: { ...token, used_at: null }, grant: stored, expires_at: refresh.expires_at })
          )
        }
      }))

    it.effect("a refresh token is replaced once, also by several at the same time", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const { refresh } = yield* redeemed()
        const given = Array.from({ length: racers }, tokens)
        const results = yield* Effect.forEach(given, (one) => store.rotate(refresh.token_hash, one, now), {
          concurrency: "unbounded"
        })
        assert.lengthOf(results.filter((isFirst) => isFirst), 1)
        const found = yield* Effect.forEach(given.flat(), ({ token_hash }) => store.findToken(token_hash))
        assert.lengthOf(found.flatMap(Option.toArray), 2)
        const { token } = Option.getOrThrow(yield* store.findToken(refresh.token_hash))
        assert.strictEqual(token.used_at, now)
      }))

    it.effect("an access token, an expired refresh token and one of a revoked grant replace nothing", () =>
      Effect.gen(function*() {
        const store = yield* OAuthStore
        const { access, grant: made, refresh } = yield* redeemed()
        assert.isFalse(yield* store.rotate(access.token_hash, tokens(), now))
        assert.isFalse(yield* store.rotate(refresh.token_hash, tokens(), refresh.expires_at))
        assert.isTrue(yield* store.revoke(made.id, now + 1))
        assert.isFalse(yield* store.revoke(made.id, now + 2))
        assert.isFalse(yield* store.rotate(refresh.token_hash, tokens(), now))
        const { grant: ended } = Option.getOrThrow(yield* store.findToken(access.token_hash))
        assert.strictEqual(ended.revoked_at, now + 1)
      }))
  })
