// Which packages may import which, and which features. `boundaries.test.ts` checks the sources.

/** From the lowest to the highest. A package imports lower ones that its package.json declares. */
export const order: ReadonlyArray<string> = [
  "domain",
  "api",
  "telemetry",
  "fetch",
  "models",
  "protocols",
  "knowledge",
  "engine",
  "auth",
  "postgres",
  "agents",
  "http",
  "features",
  "client",
  "console",
  "server",
  "cli",
  "testing",
  "examples",
  "test-support",
  "bench"
]

/**
 * The folders of features, and which other features each of them imports: only earlier ones of this list. A feature
 * that imports none can be left out of a service without a change of the others.
 */
export const features: Readonly<Record<string, ReadonlyArray<string>>> = {
  feedback: [],
  media: [],
  metrics: [],
  schedules: [],
  traces: [],
  vectors: [],
  webhooks: [],
  evaluation: ["feedback", "traces"],
  knowledge: ["vectors"],
  memory: ["vectors"],
  learning: ["memory"],
  registry: ["knowledge"],
  components: ["knowledge", "learning", "registry"],
  summaries: ["memory"],
  taskPush: ["webhooks"]
}
