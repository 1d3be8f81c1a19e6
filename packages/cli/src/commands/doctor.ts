// `svc doctor`: checks what a service needs, and says what is wrong and what to do.
import { Effect, FileSystem, Path, Result } from "effect"
import { Command } from "effect/cli"
import { HttpClientRequest } from "effect/http"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { detailOf } from "../calls/Calls.ts"
import { exchange } from "../calls/Exchange.ts"
import * as Clients from "../clients/Clients.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import type { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as EntryName from "../connect/EntryName.ts"
import type * as Discovery from "../discovery/Discovery.ts"
import * as EnvFile from "../discovery/EnvFile.ts"
import { Environment } from "../Environment.ts"
import * as Program from "../Program.ts"
import * as Groups from "../service/Groups.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { version as ours } from "../version.ts"

/** What was looked at, what was found, and what to do about it. */
interface Check {
  readonly name: string
  /** `unknown`: it could not be checked. */
  readonly state: "ok" | "warning" | "failed" | "unknown"
  readonly detail: string
  readonly hint: string | null
}

const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail, hint: null })

const notOk = (
  name: string,
  state: Exclude<Check["state"], "ok">,
  detail: string,
  hint?: string
): Check => ({ name, state, detail, hint: hint ?? null })

// The service: it responds and is ready, its version, its database and its models.

const notReady = (reason: string): Check =>
  notOk("Ready", "failed", reason, "The log of the service has the reason: svc logs, or where it was started.")

const ready = Effect.fn("doctor.ready")(function*(url: string) {
  const reply = yield* exchange(HttpClientRequest.get(`${url}/ready`), "10 seconds")
  return reply.status === 200 ? ok("Ready", "accepts work") : notReady(detailOf(reply))
}, Effect.catchTag("Unreachable", ({ reason }) => Effect.succeed(notReady(reason))))

const versionOf = ({ info_error: problem, url, version }: Discovery.Descriptor): Check => {
  if (problem !== undefined) return notOk("Version", "warning", `${url}/info could not be read: ${problem}`)
  if (version === null) return notOk("Version", "unknown", "the service does not say its version")
  return version === ours
    ? ok("Version", version)
    : notOk("Version", "warning", `service ${version}, svc ${ours}`, "Use the same version of both.")
}

/** A failure of the check is no failure of the service: the credential may not suffice. */
const unchecked = (name: string) => ({ message }: { readonly message: string }) =>
  Effect.succeed(notOk(name, "unknown", message))

const database = (service: ServiceClient.Service) =>
  Effect.gen(function*() {
    const { databases } = yield* ServiceClient.call(
      service,
      "Reading the configuration",
      Groups.system,
      "config"
    )
    const states = yield* Effect.forEach(
      databases,
      (id) =>
        ServiceClient.call(service, `Reading the migrations of ${id}`, Groups.databases, "migrations", {
          params: { db_id: id }
        })
    )
    const behind = states.filter(({ pending }) => pending.length > 0)
    return behind.length === 0
      ? ok("Database", states.map(({ db_id, version }) => `${db_id} at version ${version ?? 0}`).join(", "))
      : notOk(
        "Database",
        "warning",
        behind.map(({ db_id, pending }) => `${db_id} lacks ${pending.length} migrations`).join(", "),
        "Restart the service, which applies them, or POST /databases/all/migrate."
      )
  }).pipe(Effect.catch(unchecked("Database")))

const models = (service: ServiceClient.Service) =>
  ServiceClient.call(service, "Reading the models", Groups.system, "models").pipe(
    Effect.map((found) =>
      found.length === 0
        ? notOk("Models", "warning", "no component has a model", "Add an agent with a model to the service.")
        : ok("Models", found.map(({ id, provider }) => `${provider}:${id}`).join(", "))
    ),
    Effect.catch(unchecked("Models"))
  )

// This machine: Node, the project's settings, docker, and the clients.

const isNewEnough = (given: string): boolean => {
  const [major = 0, minor = 0] = given.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

const nodeCheck = (given: string): Check =>
  isNewEnough(given)
    ? ok("Node", given)
    : notOk("Node", "failed", given, "Svc needs Node 22.19 or newer: https://nodejs.org.")

/** The variable of each provider that needs exactly one setting. */
const keys: Readonly<Record<string, string>> = {
  alibaba: "ALIBABA_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  baseten: "BASETEN_API_KEY",
  cerebras: "CEREBRAS_API_KEY",
  cohere: "COHERE_API_KEY",
  deepinfra: "DEEPINFRA_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
  fireworks: "FIREWORKS_API_KEY",
  gateway: "AI_GATEWAY_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  groq: "GROQ_API_KEY",
  huggingface: "HUGGINGFACE_API_KEY",
  mistral: "MISTRAL_API_KEY",
  moonshotai: "MOONSHOT_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-chat": "OPENAI_API_KEY",
  "openai-compatible": "OPENAI_BASE_URL",
  openrouter: "OPENROUTER_API_KEY",
  perplexity: "PERPLEXITY_API_KEY",
  togetherai: "TOGETHER_API_KEY",
  vercel: "VERCEL_API_KEY",
  xai: "XAI_API_KEY"
}

/** The settings that name a model. */
const modelSettings = ["MODEL", "JUDGE_MODEL", "EMBEDDER"]

/** Settings of the project in the working directory. */
const settings = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd, variable } = yield* Environment
  const text = yield* Effect.orElseSucceed(files.readFileString(path.join(cwd, ".env")), () => undefined)
  const valueOf = (name: string) => variable(name) ?? (text === undefined ? "" : EnvFile.valueIn(text, name))
  const model = valueOf("MODEL")
  if (text === undefined && model === "") {
    return notOk("Settings", "unknown", "no .env here, and no MODEL in the environment")
  }
  if (model === "") {
    return notOk("Settings", "warning", "MODEL is not set", "Set MODEL in .env, for example MODEL=openai:gpt-5-mini.")
  }
  const given = modelSettings.map((name) => ({ name, value: valueOf(name).trim() })).filter(({ value }) => value !== "")
  for (const { name, value } of given) {
    const key = keys[value.split(":")[0] ?? ""]
    if (key !== undefined && valueOf(key) === "") {
      return notOk("Settings", "failed", `${name} is ${value}, and ${key} is not set`, `Set ${key} in .env.`)
    }
  }
  return ok("Settings", given.map(({ name, value }) => `${name} is ${value}`).join(", "))
})

/** Only the commands that run containers need it. */
const docker = Effect.map(
  Program.which("docker"),
  (found) => found === undefined ? notOk("Docker", "unknown", "not on the PATH; svc up needs it") : ok("Docker", found)
)

/** Which clients are here, and whether they are connected. */
const clientStates = Effect.fn("doctor.clients")(function*(service: string | null) {
  const name = EntryName.derived(service)
  const states = yield* Effect.forEach(Clients.all, (client) =>
    Effect.gen(function*() {
      if (!(yield* Clients.isDetected(client))) return []
      const found = yield* Effect.option(ServiceEntries.resolve(client, name))
      if (found._tag === "None") return [`${client.name}: its config cannot be read`]
      return [`${client.name}: ${found.value === undefined ? "not connected" : "connected"}`]
    }))
  const found = states.flat()
  return found.length === 0 ? notOk("Clients", "unknown", "none found here") : ok("Clients", found.join(", "))
})

const problem = (name: string, state: "failed" | "warning", { hint, message }: CommandFailed): Check =>
  notOk(name, state, message, hint)

/** A failure is a finding. Leaving a prompt ends the command. */
const found = <A, E, R>(effect: Effect.Effect<A, E | CommandFailed, R>) =>
  effect.pipe(
    Effect.map(Result.succeed),
    Effect.catchTag("CommandFailed", (failure) => Effect.succeed(Result.fail(failure)))
  )

const serviceChecks = Effect.fnUntraced(function*(given: AdminTarget.Given) {
  const target = yield* found(AdminTarget.find(given))
  if (Result.isFailure(target)) {
    return { name: null, checks: [problem("Service", "failed", target.failure)] }
  }
  const service = target.success
  const checks = [ok("Service", service.url), yield* ready(service.url), versionOf(service)]
  const client = yield* found(ServiceClient.of(service, given))
  if (Result.isFailure(client)) {
    checks.push(problem("Credential", "warning", client.failure))
  } else checks.push(yield* database(client.success), yield* models(client.success))
  return { name: service.name, checks }
})

const marks: { readonly [S in Check["state"]]: string } = {
  ok: "ok",
  warning: "warning",
  failed: "FAILED",
  unknown: "-"
}

const show = Effect.fnUntraced(function*(checks: ReadonlyArray<Check>) {
  const output = yield* Output
  yield* output.table(
    [{ title: "Check" }, { title: "State" }, { title: "Found", wraps: true }],
    checks.map(({ detail, name, state }) => [name, marks[state], detail])
  )
  for (const { hint, name } of checks) {
    if (hint !== null) yield* output.warn(`${name}: ${hint}`)
  }
})

export const doctor = Command.make("doctor", AdminTarget.flags, ({ json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const { checks: ofService, name } = yield* serviceChecks(given)
      const checks = [
        nodeCheck(process.versions.node),
        yield* settings,
        ...ofService,
        yield* docker,
        yield* clientStates(name)
      ]
      const isFailed = checks.some(({ state }) => state === "failed")
      return {
        document: { ok: !isFailed, checks: checks.map((check) => ({ ...check })) },
        human: Effect.provideService(show(checks), Output, output),
        ending: isFailed ? "failed" as const : "ok" as const
      }
    })
  )).pipe(
    Command.withDescription(
      "Check Node, the settings of the project here, the service with its database and models, docker, and the clients. " +
        "Each problem has a sentence that says what to do. A failed check ends the command with exit code 1."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Find out what is wrong, and what to do"),
    Command.withExamples([
      { command: "svc doctor" },
      { command: "svc doctor --json | jq -r '.checks[] | select(.state == \"failed\") | .hint'" }
    ])
  )
