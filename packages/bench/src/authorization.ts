// What it costs to know who is calling: the verification of tokens by itself, and reading one session on a closed
// service beside the same on an open one. `npm run bench:authorization`.
import { defaultJwt, Jwt } from "@svc-runtime/auth"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { type Figures, formOf, run, type Scenario } from "./Load.ts"
import { start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "4" },
    sittings: { type: "string", default: "5" }
  }
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const sittings = Number(values.sittings)

const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")
const say = (line: string) => process.stdout.write(`${line}\n`)

const microseconds = (started: number, times: number) => ((performance.now() - started) * 1000 / times).toFixed(1)

const verification = Effect.fnUntraced(function*(algorithm: "RS256" | "ES256" | "EdDSA") {
  const issuer = yield* Tokens.issuer(algorithm)
  const settings = { ...defaultJwt, algorithm, verificationKeys: [Redacted.make(issuer.publicPem)] }
  const verify = yield* Jwt.make(settings)
  const tokens = yield* Effect.forEach(
    Array.from({ length: 4_000 }, (_, n) => n),
    (n) => issuer.sign({ sub: `user ${n}`, scopes: ["agents:run", "sessions:read"] })
  )
  const [first = ""] = tokens
  // the first thousand warm up
  for (const token of tokens.slice(0, 1_000)) yield* verify(Redacted.make(token))
  const fresh = performance.now()
  for (const token of tokens.slice(1_000)) yield* verify(Redacted.make(token))
  const perNew = microseconds(fresh, 3_000)
  yield* verify(Redacted.make(first))
  const again = performance.now()
  for (let n = 0; n < 100_000; n++) yield* verify(Redacted.make(first))
  say(`${algorithm}: ${perNew} µs for a new token, ${microseconds(again, 100_000)} µs for one that was seen before`)
})

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const reading = (token: string | undefined, warmUp: number): Scenario => ({
  connections: 20,
  seconds,
  warmUp,
  token,
  prepare: async (send) => {
    for (let n = 0; n < 5; n++) {
      await send("POST", "/agents/assistant/runs", formOf({ message: "hi", stream: "false", session_id: "fixed" }))
    }
  },
  one: (send) => send("GET", "/sessions/fixed")
})

interface Contender {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly token?: string
}

/**
 * Figures of each contender, round by round. Processes differ by what their compiler made of them, so each sitting has
 * new ones.
 */
const sitting = async (contenders: ReadonlyArray<Contender>): Promise<ReadonlyArray<ReadonlyArray<Figures>>> => {
  const running = await Promise.all(
    contenders.map(({ env }) => start(quickstart, { MODEL: "fixed", LOG_LEVEL: "Warn", ...env }, "/ready", startFlags))
  )
  const figures: ReadonlyArray<Array<Figures>> = contenders.map(() => [])
  const measure = (at: number, warmUp: number) => run(running[at]?.base ?? "", reading(contenders[at]?.token, warmUp))
  for (const at of contenders.keys()) await measure(at, 2_000)
  for (let round = 0; round < rounds; round++) {
    // none is always first, and none follows the same one each time
    const turns = [...contenders.keys()].map((at) => (at + round) % contenders.length)
    for (const at of round % 2 === 0 ? turns : turns.toReversed()) figures[at]?.push(await measure(at, 300))
  }
  await Promise.all(running.map(({ stop }) => stop()))
  return figures
}

const sideBySide = async (contenders: ReadonlyArray<Contender>) => {
  const figures: ReadonlyArray<Array<Figures>> = contenders.map(() => [])
  for (let n = 0; n < sittings; n++) {
    for (const [at, own] of (await sitting(contenders)).entries()) figures[at]?.push(...own)
  }
  for (const [at, { name }] of contenders.entries()) {
    const own = figures[at] ?? []
    // each round against the open service in the same round: what disturbs the machine disturbs both
    const ratio = median(own.map(({ perSecond }, round) => perSecond / (figures[0]?.[round]?.perSecond ?? Number.NaN)))
    const wrong = own.find(({ errors }) => errors > 0)?.firstError
    say(
      `${name.padEnd(34)} ${median(own.map(({ perSecond }) => perSecond)).toFixed(0).padStart(6)}/s  ` +
        `${ratio.toFixed(2)} of the open service${wrong === undefined ? "" : `  ERRORS: ${wrong}`}`
    )
  }
}

const mint = async (base: string, key: string): Promise<string> => {
  const response = await fetch(`${base}/service-accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", scopes: ["platform:admin"], allow_privileged_scopes: true })
  })
  return (await response.json() as { readonly token: string }).token
}

const program = Effect.gen(function*() {
  say("Verification of a token")
  for (const algorithm of ["RS256", "ES256", "EdDSA"] as const) yield* verification(algorithm)

  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  const env = { DATABASE_URL: Redacted.value(postgres.url) }
  const issuer = yield* Tokens.issuer()
  const closed = { ...env, AUTHORIZATION: "true", JWT_VERIFICATION_KEY: issuer.publicPem }
  const token = yield* issuer.sign({ sub: "ann", scopes: ["platform:admin"] })
  const key = "the key of the benchmark, for a moment"
  const account = yield* Effect.promise(async () => {
    const server = await start(quickstart, { ...env, OS_SECURITY_KEY: key, MODEL: "fixed" }, "/ready", startFlags)
    const made = await mint(server.base, key)
    await server.stop()
    return made
  })
  say(`\nGET one session, PostgreSQL, 20 connections, median of ${sittings} times ${rounds} rounds`)
  yield* Effect.promise(() =>
    sideBySide([
      { name: "open", env },
      { name: "open, although a token is sent", env, token },
      { name: "AUTHORIZATION=true, a token", env: closed, token },
      { name: "AUTHORIZATION=true, an account", env: closed, token: account }
    ])
  )
})

await Effect.runPromise(Effect.scoped(program))
