// `npm run bench -- NAME` runs one benchmark with the arguments after its name. README.md says what each one measures.
const benchmarks: Readonly<Record<string, () => Promise<unknown>>> = {
  start: () => import("./start.ts"),
  authors: () => import("./authors.ts"),
  requests: () => import("./requests.ts"),
  streams: () => import("./streams.ts"),
  soak: () => import("./soak.ts"),
  recovery: () => import("./recovery.ts"),
  idle: () => import("./idle.ts"),
  uploads: () => import("./uploads.ts"),
  traces: () => import("./traces.ts"),
  deaf: () => import("./deaf.ts"),
  scale: () => import("./scale.ts"),
  prompts: () => import("./prompts.ts"),
  channels: () => import("./channels.ts")
}

// a benchmark reads its arguments as if it was started itself
const [name = ""] = process.argv.splice(2, 1)
const benchmark = benchmarks[name]
if (benchmark === undefined) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(benchmarks).join("|")}\n`)
  process.exitCode = 2
} else await benchmark()
