// The checks of `svc doctor` about this machine: Node, the project's settings, docker, and the clients.
import { Effect, FileSystem, Path } from "effect"
import * as Clients from "../clients/Clients.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import * as EntryName from "../connect/EntryName.ts"
import * as EnvFile from "../discovery/EnvFile.ts"
import { Environment } from "../Environment.ts"
import * as Program from "../Program.ts"
import { type Check, notOk, ok } from "./Check.ts"

const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

export const node = (version: string): Check =>
  isNewEnough(version)
    ? ok("Node", version)
    : notOk("Node", "failed", version, "Svc needs Node 22.19 or newer: https://nodejs.org.")

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
const models = ["MODEL", "JUDGE_MODEL", "EMBEDDER"]

/** Settings of the project in the working directory. */
export const settings = Effect.gen(function*() {
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
  const given = models.map((name) => ({ name, value: valueOf(name).trim() })).filter(({ value }) => value !== "")
  for (const { name, value } of given) {
    const key = keys[value.split(":")[0] ?? ""]
    if (key !== undefined && valueOf(key) === "") {
      return notOk("Settings", "failed", `${name} is ${value}, and ${key} is not set`, `Set ${key} in .env.`)
    }
  }
  return ok("Settings", given.map(({ name, value }) => `${name} is ${value}`).join(", "))
})

/** Only the commands that run containers need it. */
export const docker = Effect.map(
  Program.which("docker"),
  (found) => found === undefined ? notOk("Docker", "unknown", "not on the PATH; svc up needs it") : ok("Docker", found)
)

/** Which clients are here, and whether they are connected. */
export const clients = Effect.fn("MachineChecks.clients")(function*(service: string | null) {
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
