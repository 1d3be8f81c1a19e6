// How soon the quickstart service answers with the embedded database, in an empty folder and in one that it knows, and
// how much memory it uses then.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quickstart, start, startFlags } from "./Process.ts"

const rounds = 5
const directory = mkdtempSync(join(tmpdir(), "svc-bench-"))

try {
  for (let round = 0; round < rounds; round++) {
    const env = { DATA_DIR: join(directory, String(round)), MODEL: "fixed", LOG_LEVEL: "Warn" }
    const first = await start(quickstart, env, "/ready", startFlags)
    await first.stop()
    const again = await start(quickstart, env, "/ready", startFlags)
    const mebibytes = again.residentMemory() / 1024 / 1024
    await again.stop()
    process.stdout.write(
      `first start: ${first.upAfter.toFixed(0)} ms, started again: ${again.upAfter.toFixed(0)} ms, ` +
        `${mebibytes.toFixed(0)} MiB of resident memory\n`
    )
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
