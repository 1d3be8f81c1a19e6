// Which packages may import which, and which features. `boundaries.test.ts` checks the sources.

/** From the lowest to the highest. A package imports lower ones that its package.json declares. */
export const order: ReadonlyArray<string> = [
  "domain",
  "api",
  "telemetry",
  "fetch",
  "models",
  "protocols",
  "channels",
  "knowledge",
  "engine",
  "auth",
  "postgres",
  "agents",
  "http",
  "features",
  "client",
  "react",
  "console",
  "server",
  "cli",
  "testing",
  "examples",
  "test-support",
  "bench"
]

/**
 * The features that import others, and which ones: earlier ones of this list, or ones that import none. The record of
 * each can be left out of a service all the same: what it imports is code, and it does without the services and stores
 * of others.
 */
export const features: Readonly<Record<string, ReadonlyArray<string>>> = {
  budgets: ["declarations"],
  channels: ["declarations", "media", "secrets"],
  prompts: ["declarations"],
  roles: ["declarations"],
  schedules: ["declarations"],
  webhooks: ["declarations", "secrets"],
  taskPush: ["secrets"],
  evaluation: ["declarations", "feedback", "traces"],
  knowledge: ["declarations", "vectors"],
  memory: ["vectors"],
  learning: ["memory"],
  skills: ["knowledge"],
  registry: ["knowledge", "skills"],
  workspace: ["skills"],
  components: ["learning", "prompts", "registry"],
  rollouts: ["audit", "feedback"]
}
